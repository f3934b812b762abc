package io.kubevirt.ferry.controller;

import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;

/**
 * What became of the term of a directed migration: the condition {@value #TYPE} of the migration.
 *
 * @param message one line that says what to do where something is to be done
 */
record Placement(boolean applied, Reason reason, String message) {
    static final String TYPE = "TargetPlacement";

    /** The reasons of the condition. */
    enum Reason {
        /** The target pod is where the term says, or can go nowhere else. */
        TermApplied,
        /** No node takes the target pod, for now. */
        Unschedulable,
        /** The target pod got past the term. */
        Bypassed,
        /** The text in the annotation is no term: nobody checked it when the migration was created. */
        InvalidTerm
    }

    /** Whether a migration says already that a target pod of its got past the term. */
    static boolean isBypassed(VirtualMachineInstanceMigration migration) {
        return migration.status().conditions().stream()
                .anyMatch(condition -> condition.path("type").asText().equals(TYPE)
                        && condition.path("reason").asText().equals(Reason.Bypassed.name()));
    }

    String status() {
        return applied ? "True" : "False";
    }

    /** The type of the event that goes with the condition. */
    String eventType() {
        return applied ? "Normal" : "Warning";
    }
}
