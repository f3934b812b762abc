/** A real Kubernetes control plane for tests, the demo and benchmarks, and the JUnit extension that hands it out. */
@NullMarked
package io.kubevirt.ferry.testbed;

import org.jspecify.annotations.NullMarked;
