/** The command line. */
@NullMarked
package io.kubevirt.ferry.cli;

import org.jspecify.annotations.NullMarked;
