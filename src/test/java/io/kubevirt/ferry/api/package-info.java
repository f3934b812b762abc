/** Tests of the API: what the CRD says, and what the API server makes of it. */
@NullMarked
package io.kubevirt.ferry.api;

import org.jspecify.annotations.NullMarked;
