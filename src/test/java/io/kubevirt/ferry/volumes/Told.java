package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Original;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A decision in a few words: what is remembered, or what is done, or what is waited for. */
final class Told {
    private Told() {}

    static String of(Scene scene) {
        var decision = scene.decide();
        var before = Optional.ofNullable(scene.migration().status()).flatMap(status -> status.run());
        var remembered = remembered(before, decision.status().run());
        if (!remembered.isEmpty()) {
            return decision.action().isPresent() ? "both remembers and acts" : String.join(", ", remembered);
        }
        return decision.action()
                .map(action -> action.getClass().getSimpleName())
                .orElseGet(() -> "waits, " + reason(decision));
    }

    static String reason(Decision decision) {
        return decision.status().condition("Ready").orElseThrow().reason();
    }

    private static List<String> remembered(Optional<Original> before, Optional<Original> after) {
        if (before.equals(after) || after.isEmpty()) {
            return List.of();
        }
        var now = after.get();
        if (before.isEmpty() || before.get().run() != now.run()) {
            return List.of("run " + now.run());
        }
        var was = before.get();
        var words = new ArrayList<String>();
        note(words, "step", was.progress().step(), now.progress().step());
        note(words, "guest", was.progress().guest(), now.progress().guest());
        note(words, "under way", was.attempts().current(), now.attempts().current());
        note(words, "failed", was.attempts().failed(), now.attempts().failed());
        note(words, "handed over", was.attempts().handedOver(), now.attempts().handedOver());
        note(words, "verdict", was.progress().verdict(), now.progress().verdict());
        if (was.progress().verdict() != now.progress().verdict()
                || !was.progress().reason().equals(now.progress().reason())) {
            words.add("for " + now.progress().reason());
        }
        now.progress()
                .awaited()
                .filter(waiting ->
                        !now.progress().awaited().equals(was.progress().awaited()))
                .ifPresent(waiting -> words.add("waiting since for " + waiting.reason()));
        if (was.progress().awaited().isPresent() && now.progress().awaited().isEmpty() && words.isEmpty()) {
            words.add("waiting no more");
        }
        if (!now.progress().open()) {
            words.add("closed");
        }
        if (now.progress().keepSources() != was.progress().keepSources()) {
            words.add("sources stay");
        }
        if (now.progress().handOverUnseen() != was.progress().handOverUnseen()) {
            words.add("hand-over unseen");
        }
        return words;
    }

    private static void note(List<String> words, String what, Object before, Object after) {
        if (after != null && !after.equals(before)) {
            words.add(what + " " + after);
        }
    }
}
