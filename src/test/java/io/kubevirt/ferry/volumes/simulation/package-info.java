/**
 * Volume migration in a simulated cluster: KubeVirt's controllers as separate transitions, a faulty API, people, and the
 * safety laws checked after each transition.
 *
 * <p>Everything is pure and in memory. The only source of chance is a seed, the only clock a counter of milliseconds: a
 * seed that fails replays to the letter.
 */
@NullMarked
package io.kubevirt.ferry.volumes.simulation;

import org.jspecify.annotations.NullMarked;
