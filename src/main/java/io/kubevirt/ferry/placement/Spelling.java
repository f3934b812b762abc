package io.kubevirt.ferry.placement;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Guesses which of a few known words a wrong one was meant to be. */
final class Spelling {

    private static final int LONGEST = 40;
    private static final int FARTHEST = 2;

    private Spelling() {}

    /** The known word that differs from {@code word} in case alone or by at most two letters, the nearest first. */
    static Optional<String> meant(String word, List<String> known) {
        if (word.length() > LONGEST) {
            return Optional.empty();
        }
        String nearest = "";
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        // Of a short word two letters may be all of it.
        return least <= Math.min(FARTHEST, nearest.length() / 2) ? Optional.of(nearest) : Optional.empty();
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
