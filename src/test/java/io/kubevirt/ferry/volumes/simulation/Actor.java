package io.kubevirt.ferry.volumes.simulation;

/** Somebody who does things in the cluster: offers what it could do next, one write each. */
interface Actor {
    void offer(Menu menu);
}
