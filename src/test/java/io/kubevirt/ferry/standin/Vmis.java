package io.kubevirt.ferry.standin;

/** Questions about VMIs. */
final class Vmis {

    private Vmis() {}

    static boolean ended(Item vmi) {
        String phase = vmi.text("status", "phase");
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    static boolean running(Item vmi) {
        return vmi.text("status", "phase").equals("Running");
    }

    /** Whether a copy is under way. */
    static boolean migrating(Item vmi) {
        return vmi.has("status", "migrationState", "startTimestamp")
                && !vmi.has("status", "migrationState", "endTimestamp");
    }

    /** Whether the VMI's migration state is about this migration. */
    static boolean follows(Item vmi, Item migration) {
        return vmi.text("status", "migrationState", "migrationUid").equals(migration.uid());
    }
}
