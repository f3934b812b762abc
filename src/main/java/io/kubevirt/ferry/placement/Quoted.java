package io.kubevirt.ferry.placement;

/** Somebody else's text as it may stand in a message: quoted, on one line, visible, and not too long. */
final class Quoted {

    private static final int SHOWN = 80;

    private Quoted() {}

    static String of(String value) {
        var shown = new StringBuilder("\"");
        value.codePoints().limit(SHOWN).forEach(c -> append(shown, c));
        return shown.append(value.codePointCount(0, value.length()) > SHOWN ? "…\"" : "\"")
                .toString();
    }

    private static void append(StringBuilder shown, int c) {
        if (c == '"' || c == '\\') {
            shown.append('\\').append((char) c);
        } else if (invisible(c)) {
            shown.append(c < 0x10000 ? "\\u%04x".formatted(c) : "\\U%08x".formatted(c));
        } else {
            shown.appendCodePoint(c);
        }
    }

    private static boolean invisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> c != ' ' && Character.isSpaceChar(c);
        };
    }
}
