package io.kubevirt.ferry.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.kubevirt.ferry.kubevirt.LauncherPod;
import io.kubevirt.ferry.kubevirt.VirtualMachineInstanceMigration;

/**
 * What a VMI, read live, says about where its guest may be while a migration is under way. Pure.
 *
 * <p>KubeVirt reports a hand-over a moment after it happened. So a pod counts as taken as soon as the guest's domain was
 * seen in it, and where the VMI tells of a migration under way that is not the one asked for.
 *
 * @param vmi missing if there is none
 */
record Guest(JsonNode vmi, VirtualMachineInstanceMigration migration) {

    /** Whether this VMI made the pod and, once it says which one the target pod is, that is it. */
    boolean mayMoveInto(LauncherPod pod) {
        boolean made = pod.controller()
                .map(OwnerReference::getUid)
                .filter(uid -> uid.equals(vmi.at("/metadata/uid").asText()))
                .isPresent();
        String named = isOurs() ? state().path("targetPod").asText() : "";
        return made && (named.isEmpty() || named.equals(pod.getMetadata().getName()));
    }

    /** Whether the guest may run in the target pod already: then the pod must not be deleted. */
    boolean mayBeIn(LauncherPod pod) {
        boolean over = state().path("completed").asBoolean() || state().hasNonNull("endTimestamp");
        boolean seen = state().path("targetNodeDomainDetected").asBoolean()
                || state().hasNonNull("targetNodeDomainReadyTimestamp");
        boolean there = pod.node()
                .filter(node -> node.equals(vmi.at("/status/nodeName").asText()))
                .isPresent();
        return pod.hasGuest()
                || there
                || (isOurs() && (seen || over))
                || (!isOurs() && !state().isMissingNode() && !over);
    }

    private boolean isOurs() {
        return state().path("migrationUid")
                .asText()
                .equals(migration.getMetadata().getUid());
    }

    private JsonNode state() {
        return vmi.at("/status/migrationState");
    }
}
