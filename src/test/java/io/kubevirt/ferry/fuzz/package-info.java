/** Random cases for as long as one likes: {@code make fuzz}. */
@NullMarked
package io.kubevirt.ferry.fuzz;

import org.jspecify.annotations.NullMarked;
