/** The operator's own API: the types from which the CRDs are generated, and the names it puts on other objects. */
@NullMarked
package io.kubevirt.ferry.api;

import org.jspecify.annotations.NullMarked;
