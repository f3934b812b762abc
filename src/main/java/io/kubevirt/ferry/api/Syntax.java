package io.kubevirt.ferry.api;

/** How Kubernetes writes names. */
final class Syntax {
    /** A DNS subdomain, as the names of claims are. */
    static final String NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

    static final int LONGEST_NAME = 253;

    private Syntax() {}
}
