package io.kubevirt.ferry.controller;

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

    String status() {
        return applied ? "True" : "False";
    }

    /** The type of the event that goes with the condition. */
    String eventType() {
        return applied ? "Normal" : "Warning";
    }
}
