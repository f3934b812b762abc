package io.kubevirt.ferry.volumes.simulation;

/** How badly the operator and its way to the API are treated, as probabilities for each occasion. */
final class Faults {
    /** Something else happens between two reads of one observation. */
    double slowRead;
    /** Something happens with a write of the operator. */
    double mishap;
    /** What may happen with it. */
    private Mishap[] mishaps = {};
    /** A change is not told to the operator. */
    double lostEvent;
    /** The operator is told of changes that there are not. */
    double repeatedEvent;
    /** A write of KubeVirt's meets a conflict that it does not retry. */
    double conflict;
    /** The webhooks of the operator do not answer. */
    double webhookDown;

    static Faults none() {
        return new Faults();
    }

    /** Each kind of fault is there or not: schedules that have one kind alone find what many at once hide. */
    static Faults drawn(Chance chance) {
        var faults = new Faults();
        faults.slowRead = chance.oneOf(0.0, 0.2, 0.6);
        faults.mishap = chance.oneOf(0.0, 0.05, 0.15, 0.3);
        faults.mishaps = chance.of(0.5)
                ? Mishap.values()
                : new Mishap[] {chance.oneOf(Mishap.values()), chance.oneOf(Mishap.values())};
        faults.lostEvent = chance.oneOf(0.0, 0.0, 0.3);
        faults.repeatedEvent = chance.oneOf(0.0, 0.05);
        faults.conflict = chance.oneOf(0.0, 0.0, 0.3);
        faults.webhookDown = chance.oneOf(0.0, 0.0, 0.0, 0.3);
        return faults;
    }

    Mishap next(Chance chance) {
        return chance.of(mishap) ? chance.oneOf(mishaps) : Mishap.NONE;
    }

    void stop() {
        slowRead = 0;
        mishap = 0;
        lostEvent = 0;
        repeatedEvent = 0;
        conflict = 0;
        webhookDown = 0;
    }
}
