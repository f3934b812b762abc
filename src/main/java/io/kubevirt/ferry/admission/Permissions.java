package io.kubevirt.ferry.admission;

/** Says whether somebody may direct migrations. */
public interface Permissions {
    /** The answer. */
    enum Answer {
        YES,
        NO,
        /** The API gave no answer, or not in time. */
        UNKNOWN
    }

    /** Everybody who may create migrations may direct them. */
    static Permissions unrestricted() {
        return (requester, namespace) -> Answer.YES;
    }

    /** Whether the requester may direct migrations in a namespace. */
    Answer mayDirect(Requester requester, String namespace);
}
