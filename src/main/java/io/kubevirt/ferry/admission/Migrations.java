package io.kubevirt.ferry.admission;

import java.util.Optional;

/** Looks up VirtualMachineInstanceMigrations for the pods that say they belong to one. */
public interface Migrations {
    /** What a look-up comes back with. */
    sealed interface Found {
        /** The migration exists; its annotation with the term is empty for an ordinary one. */
        record Migration(Optional<String> term) implements Found {}

        /** No migration of that name has that UID. */
        record None() implements Found {}

        /** The API gave no answer in time: nobody knows. */
        record Unanswered(String why) implements Found {}
    }

    /** The migration of that name in that namespace, if it is the one with that UID. */
    Found find(String namespace, String name, String uid);

    /** The same where it is known without asking anybody; empty where it is not. Never blocks. */
    default Optional<Found> known(String namespace, String name, String uid) {
        return Optional.empty();
    }
}
