/** Read models of KubeVirt's and CDI's kinds: only the fields that this operator looks at, never to be written back. */
@NullMarked
package io.kubevirt.ferry.kubevirt;

import org.jspecify.annotations.NullMarked;
