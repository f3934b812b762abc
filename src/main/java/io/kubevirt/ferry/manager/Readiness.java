package io.kubevirt.ferry.manager;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What must be so before this replica may be sent admissions, and what each part waits for while it is not. */
final class Readiness {
    /** The parts that are waited for. */
    enum Part {
        RIGHTS("rights"),
        CERTIFICATE("certificate"),
        WEBHOOK_CONFIGURATION("webhook-configuration"),
        CACHES("caches"),
        SERVING("serving");

        private final String label;

        Part(String label) {
            this.label = label;
        }
    }

    private static final String OK = "ok";

    private final Map<Part, String> states = Collections.synchronizedMap(new EnumMap<>(Part.class));

    Readiness() {
        for (Part part : Part.values()) {
            states.put(part, "not started");
        }
    }

    void ok(Part part) {
        states.put(part, OK);
    }

    /** The part is not ready; the text says what it waits for and what to do. */
    void waiting(Part part, String why) {
        states.put(part, why);
    }

    boolean isReady() {
        synchronized (states) {
            return states.values().stream().allMatch(OK::equals);
        }
    }

    /** One line a part. */
    String report() {
        synchronized (states) {
            return states.entrySet().stream()
                    .map(entry -> entry.getKey().label + ": " + entry.getValue() + "\n")
                    .collect(Collectors.joining());
        }
    }
}
