/** Verdicts on reviews, without a server. */
@NullMarked
package io.kubevirt.ferry.admission;

import org.jspecify.annotations.NullMarked;
