package io.kubevirt.ferry.controller;

import io.kubevirt.ferry.kubevirt.LauncherPod;

/**
 * The sentences of {@value Placement#TYPE} that say on which node a target pod is, and what is read out of them later: the
 * condition is all that a leader knows of what the one before it has seen.
 */
final class PodOnNode {
    private static final String IS_ON = " is on ";
    private static final String ASIDE = ";";

    private PodOnNode() {}

    /** Of a pod that carries the term. */
    static String admitted(LauncherPod pod, String aside) {
        return "target pod " + where(pod) + ASIDE + " " + aside;
    }

    /** Of a pod that got past it. */
    static String notAdmitted(LauncherPod pod, String consequence) {
        return "no replica of kubevirt-ferry was there to admit the target pod: " + where(pod) + ", " + consequence;
    }

    /** Whether one of these sentences is of that pod. */
    static boolean isOf(String message, LauncherPod pod) {
        return message.contains(" " + pod.getMetadata().getName() + IS_ON);
    }

    /** Whether both say that the same pod is on the same node, whatever is said by the way. */
    static boolean agree(String message, String other) {
        return withoutAside(message).equals(withoutAside(other));
    }

    private static String where(LauncherPod pod) {
        return pod.getMetadata().getName() + IS_ON + pod.node().orElse("no node");
    }

    private static String withoutAside(String message) {
        return message.split(ASIDE, 2)[0];
    }
}
