/** The show that {@code make demo} gives: a cluster on one machine, the operator as it is shipped, an admin's commands. */
@NullMarked
package io.kubevirt.ferry.demo;

import org.jspecify.annotations.NullMarked;
