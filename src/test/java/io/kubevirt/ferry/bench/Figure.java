package io.kubevirt.ferry.bench;

import java.util.Locale;

/**
 * A row of the report.
 *
 * @param target empty where there is none, and the figure is there for comparison
 */
record Figure(String what, String target, String measured) {
    /** A figure whose measurement is a format and its values. */
    @SuppressWarnings("AnnotateFormatMethod") // The annotation would be a dependency more.
    static Figure of(String what, String target, String format, Object... values) {
        return new Figure(what, target, String.format(Locale.ROOT, format, values));
    }
}
