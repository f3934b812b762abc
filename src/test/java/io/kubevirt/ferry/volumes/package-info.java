/** The decision core by tables, and wrong variants of it for the simulation to catch. */
@NullMarked
package io.kubevirt.ferry.volumes;

import org.jspecify.annotations.NullMarked;
