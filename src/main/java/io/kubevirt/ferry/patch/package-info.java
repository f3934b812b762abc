/** JSON patches, as admissions answer with them and controllers write by them. Pure. */
@NullMarked
package io.kubevirt.ferry.patch;

import org.jspecify.annotations.NullMarked;
