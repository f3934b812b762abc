package io.kubevirt.ferry.admission;

/** Looks up the VolumeMigration that moves the volumes of a VM. */
public interface VolumeMigrations {
    /** What a look-up comes back with. */
    sealed interface Found {
        /** One is under way and says where the VM may go: a NodeSelectorTerm as JSON. */
        record Term(String json) implements Found {}

        /** None is under way, or one that leaves it to KubeVirt. */
        record None() implements Found {}

        /** The API gave no answer, or not in time: nobody knows. */
        record Unanswered(String why) implements Found {}
    }

    /** That of the VirtualMachineInstance of that name in that namespace. Never served from a cache. */
    Found activeFor(String namespace, String vmiName);
}
