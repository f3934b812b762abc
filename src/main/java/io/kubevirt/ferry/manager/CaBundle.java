package io.kubevirt.ferry.manager;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The CAs that the API server trusts for a webhook. A replica adds its own and leaves those of others: replicas whose
 * certificates differ, for a while or for good, are all trusted and do not undo each other's work.
 *
 * @param certificates in PEM, the newest last
 */
record CaBundle(List<String> certificates) {
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----");

    /** More have no use: each new certificate of ours comes with a CA of its own, and outlives the ones before. */
    private static final int MOST = 6;

    /** What is in a field; nothing where it cannot be read. */
    static CaBundle of(@Nullable String encoded) {
        if (encoded == null) {
            return new CaBundle(List.of());
        }
        try {
            String text = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            return new CaBundle(
                    CERTIFICATE.matcher(text).results().map(MatchResult::group).toList());
        } catch (IllegalArgumentException e) {
            return new CaBundle(List.of());
        }
    }

    boolean contains(String certificate) {
        return certificates.contains(certificate.strip());
    }

    /** This bundle and one CA more; the oldest go where there are too many. */
    CaBundle with(String certificate) {
        List<String> more = new ArrayList<>(certificates);
        if (!contains(certificate)) {
            more.add(certificate.strip());
        }
        return new CaBundle(List.copyOf(more.subList(Math.max(0, more.size() - MOST), more.size())));
    }

    /** As the field wants it: PEM in Base64. */
    String encoded() {
        String text = String.join("\n", certificates) + "\n";
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
