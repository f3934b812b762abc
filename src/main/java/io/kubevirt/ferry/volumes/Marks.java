package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.VolumeMigration;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The texts that a run leaves on other objects, each with the run that they belong to. */
final class Marks {
    private static final int LONGEST_NAME = 63;
    private static final int HASH_DIGITS = 8;

    private Marks() {}

    /** The run of a VolumeMigration to which a lock, a hold or a mark belongs. */
    record Owner(String migration, int run) {
        /** Whether it is the run that this VolumeMigration has open. */
        boolean isOpenIn(VolumeMigration of) {
            return migration.equals(uid(of))
                    && of.status()
                            .run()
                            .filter(original -> original.progress().open())
                            .map(Original::run)
                            .filter(open -> open == run)
                            .isPresent();
        }
    }

    /** The lock of a VM. {@code lastBefore}: of which migration the VMI told when the run began, empty for none. */
    static String lock(VolumeMigration migration, int run, String lastBefore) {
        return uid(migration) + "/" + run + "/" + lastBefore;
    }

    static Optional<Owner> ownerOfLock(String lock) {
        return owner(lock.split("/", -1), 3);
    }

    /** The value of the label on the VMI, and of the mark on a source. */
    static String mark(VolumeMigration migration, int run) {
        return uid(migration) + "." + run;
    }

    static Optional<Owner> ownerOfMark(String mark) {
        return owner(mark.split("\\.", -1), 2);
    }

    private static Optional<Owner> owner(String[] parts, int expected) {
        return parts.length == expected && parts[1].matches("[1-9][0-9]{0,8}")
                ? Optional.of(new Owner(parts[0], Integer.parseInt(parts[1])))
                : Optional.empty();
    }

    /** What a restore annotation says: when that VMI is gone, the strategy is to be this again, absent for none. */
    record Restore(String instance, Optional<String> strategy) {
        static Optional<Restore> parse(String text) {
            int slash = text.indexOf('/');
            return slash < 0
                    ? Optional.empty()
                    : Optional.of(new Restore(
                            text.substring(0, slash),
                            Optional.of(text.substring(slash + 1)).filter(s -> !s.isEmpty())));
        }

        String text() {
            return instance + "/" + strategy.orElse("");
        }
    }

    /** The name of our VMIM for that attempt: the same for whoever asks, so that nobody makes a second one. */
    static String migrationName(VolumeMigration migration, int run, int attempt) {
        var suffix = "-" + hash(uid(migration) + "/" + run).substring(0, HASH_DIGITS) + "-" + attempt;
        var name = migration.getMetadata().getName();
        var prefix = name.substring(0, Math.min(name.length(), LONGEST_NAME - suffix.length()));
        return prefix.replaceFirst("[.-]+$", "") + suffix;
    }

    private static String hash(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String uid(VolumeMigration migration) {
        return migration.getMetadata().getUid();
    }
}
