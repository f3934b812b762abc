/** What a volume migration does next: a pure function of what was seen. No client, no clock, no thread, no log. */
@NullMarked
package io.kubevirt.ferry.volumes;

import org.jspecify.annotations.NullMarked;
