package io.kubevirt.ferry.placement;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A list in words: the first few, then a count. */
final class Listed {

    private Listed() {}

    /** {@code a}, {@code a and b}, {@code a, b and c}, {@code a, b and 7 more}. */
    static String of(List<String> all, int most) {
        if (all.size() <= most) {
            return joined(all);
        }
        return joined(Stream.concat(all.stream().limit(most), Stream.of(all.size() - most + " more"))
                .toList());
    }

    private static String joined(List<String> words) {
        if (words.size() < 2) {
            return String.join("", words);
        }
        return words.stream().limit(words.size() - 1).collect(Collectors.joining(", ")) + " and " + words.getLast();
    }
}
