package io.kubevirt.ferry.placement;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What Kubernetes takes for a label key, a label value, a node name, an integer. The checks give what is wrong, or empty.
 * Lengths count bytes, as in Kubernetes; every character allowed has one.
 */
final class LabelSyntax {

    private static final int LONGEST_NAME = 63;
    private static final int LONGEST_SUBDOMAIN = 253;

    private LabelSyntax() {}

    /** A label key: {@code name} or {@code prefix/name}, the prefix a DNS subdomain. */
    static Optional<String> keyProblem(String key) {
        int slash = key.indexOf('/');
        if (slash != key.lastIndexOf('/')) {
            return Optional.of("a key has at most one '/', between a DNS prefix and a name");
        }
        String name = key.substring(slash + 1);
        if (slash == 0) {
            return Optional.of("the prefix before '/' is empty");
        }
        if (slash > 0) {
            Optional<String> prefix = subdomainProblem(key.substring(0, slash));
            if (prefix.isPresent()) {
                return prefix.map(problem -> "the prefix before '/': " + problem);
            }
        }
        return name.isEmpty() ? Optional.of("the name is empty") : wordProblem(name);
    }

    /** A label value: empty, or 63 letters, digits, '-', '_', '.', the first and last of them a letter or digit. */
    static Optional<String> valueProblem(String value) {
        return value.isEmpty() ? Optional.empty() : wordProblem(value);
    }

    /** A node name: a DNS subdomain of at most 253 characters. */
    static Optional<String> subdomainProblem(String name) {
        if (name.length() > LONGEST_SUBDOMAIN) {
            return Optional.of("it is longer than " + LONGEST_SUBDOMAIN + " characters");
        }
        for (String label : name.split("\\.", -1)) {
            if (label.isEmpty() || !isLowerAlphanumeric(label.charAt(0)) || !isLowerAlphanumeric(last(label))) {
                return Optional.of("each part between dots starts and ends with a lower case letter or a digit");
            }
            if (!label.chars().allMatch(c -> c == '-' || isLowerAlphanumeric(c))) {
                return Optional.of("it may have only lower case letters, digits, '-' and '.'");
            }
        }
        return Optional.empty();
    }

    /** A 64-bit integer in decimal digits with an optional sign, as Go's {@code strconv.ParseInt} takes it; else empty. */
    static OptionalLong integer(String text) {
        int digits = !text.isEmpty() && (text.charAt(0) == '+' || text.charAt(0) == '-') ? 1 : 0;
        if (digits == text.length() || !text.chars().skip(digits).allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException beyond64Bits) {
            return OptionalLong.empty();
        }
    }

    private static Optional<String> wordProblem(String word) {
        if (!word.chars().allMatch(c -> c == '-' || c == '_' || c == '.' || isAlphanumeric(c))) {
            return Optional.of("it may have only the letters a-z and A-Z, digits, '-', '_' and '.'");
        }
        if (!isAlphanumeric(word.charAt(0)) || !isAlphanumeric(last(word))) {
            return Optional.of("it starts and ends with a letter or a digit");
        }
        return word.length() > LONGEST_NAME
                ? Optional.of("it is longer than " + LONGEST_NAME + " characters")
                : Optional.empty();
    }

    private static char last(String text) {
        return text.charAt(text.length() - 1);
    }

    private static boolean isAlphanumeric(int c) {
        return isLowerAlphanumeric(c) || (c >= 'A' && c <= 'Z');
    }

    private static boolean isLowerAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }
}
