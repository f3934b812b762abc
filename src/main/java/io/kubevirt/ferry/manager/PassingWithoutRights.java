package io.kubevirt.ferry.manager;

import io.kubevirt.ferry.admission.Migrations;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Looks up migrations for admission. A pod whose migration cannot be read because we are not allowed to passes as it would
 * with us down: a gate that we put on could not be taken off either.
 */
record PassingWithoutRights(Migrations migrations, BooleanSupplier lackRights) implements Migrations {
    @Override
    public Found find(String namespace, String name, String uid) {
        Found found = migrations.find(namespace, name, uid);
        return found instanceof Found.Unanswered && lackRights.getAsBoolean() ? new Found.None() : found;
    }

    @Override
    public Optional<Found> known(String namespace, String name, String uid) {
        return migrations.known(namespace, name, uid);
    }
}
