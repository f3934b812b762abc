/** The process and its parts. */
@NullMarked
package io.kubevirt.ferry.manager;

import org.jspecify.annotations.NullMarked;
