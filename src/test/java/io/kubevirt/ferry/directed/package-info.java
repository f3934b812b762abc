/** Directed migrations on a real API server and scheduler, with a stand-in for KubeVirt. */
@NullMarked
package io.kubevirt.ferry.directed;

import org.jspecify.annotations.NullMarked;
