/** The arrows between packages. */
@NullMarked
package io.kubevirt.ferry.architecture;

import org.jspecify.annotations.NullMarked;
