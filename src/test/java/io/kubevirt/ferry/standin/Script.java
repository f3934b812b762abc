package io.kubevirt.ferry.standin;

import java.time.Duration;
import java.util.List;

/**
 * What the machine does with a VMI, read from its annotation {@value #ANNOTATION} at each step.
 *
 * <p>Words with blanks between: one of {@code ok} (the default), {@code fail}, {@code hang}, {@code split}; {@code copy=3s},
 * {@code boot=1s} and {@code step=50ms}, how long a copy, a start of the guest and any other step take; {@code hold=}
 * and the name of a step of a migration, before which it waits as long as it says so; "unmigratable" of a guest that
 * cannot be migrated at all; and at the end {@code because} and the words with which it fails.
 */
record Script(
        Outcome outcome, Duration copy, Duration boot, Duration step, String hold, boolean migratable, String because) {

    static final String ANNOTATION = "standin.kubevirt.io/machine";

    /** How a migration ends if nobody stops it. */
    enum Outcome {
        /** The guest runs on the target. */
        OK,
        /** The source reports a failure after the time of a copy. */
        FAIL,
        /** The copy never ends. */
        HANG,
        /** The guest runs on the target, and before the source can say so contact is lost and the VMI fails. */
        SPLIT
    }

    private static final Script DEFAULT = new Script(
            Outcome.OK,
            Duration.ofMillis(300),
            Duration.ofMillis(50),
            Duration.ofMillis(50),
            "",
            true,
            "Live migration failed");

    static Script of(Item vmi) {
        return parse(vmi.annotation(ANNOTATION));
    }

    static Script parse(String text) {
        Script script = DEFAULT;
        List<String> halves = List.of(text.split("(^| )because ", 2));
        if (halves.size() == 2) {
            script = script.because(halves.get(1).strip());
        }
        for (String word : halves.getFirst().strip().split(" +", -1)) {
            script = word.isEmpty() ? script : script.with(word);
        }
        return script;
    }

    private Script with(String word) {
        int equals = word.indexOf('=');
        String value = word.substring(equals + 1);
        return switch (equals < 0 ? word : word.substring(0, equals)) {
            case "ok" -> new Script(Outcome.OK, copy, boot, step, hold, migratable, because);
            case "fail" -> new Script(Outcome.FAIL, copy, boot, step, hold, migratable, because);
            case "hang" -> new Script(Outcome.HANG, copy, boot, step, hold, migratable, because);
            case "split" -> new Script(Outcome.SPLIT, copy, boot, step, hold, migratable, because);
            case "copy" -> new Script(outcome, duration(value), boot, step, hold, migratable, because);
            case "boot" -> new Script(outcome, copy, duration(value), step, hold, migratable, because);
            case "step" -> new Script(outcome, copy, boot, duration(value), hold, migratable, because);
            case "hold" -> new Script(outcome, copy, boot, step, value, migratable, because);
            case "unmigratable" -> new Script(outcome, copy, boot, step, hold, false, because);
            default -> throw new IllegalArgumentException("the machine does not know '" + word + "'");
        };
    }

    private Script because(String words) {
        return new Script(outcome, copy, boot, step, hold, migratable, words);
    }

    private static Duration duration(String text) {
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }
}
