/** KubeVirt as its recordings show it, on a real API server: for tests, the demo and benchmarks, never shipped. */
@NullMarked
package io.kubevirt.ferry.standin;

import org.jspecify.annotations.NullMarked;
