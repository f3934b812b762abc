@NullMarked
package io.kubevirt.ferry.placement;

import org.jspecify.annotations.NullMarked;
