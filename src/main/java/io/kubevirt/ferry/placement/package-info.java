/** What a {@code NodeSelectorTerm} is, whether it is right, which nodes it matches, and how a pod's affinity is narrowed by it. */
@NullMarked
package io.kubevirt.ferry.placement;

import org.jspecify.annotations.NullMarked;
