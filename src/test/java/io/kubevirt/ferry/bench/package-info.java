/** Measures the operator and says how it compares with its targets: {@code make bench}. */
@NullMarked
package io.kubevirt.ferry.bench;

import org.jspecify.annotations.NullMarked;
