package io.kubevirt.ferry.volumes;

import java.time.Duration;

/**
 * The limits of what is waited for.
 *
 * @param nextMigration how long KubeVirt has to make the VMIM after a failed one, before we do
 * @param cancel how long KubeVirt's cancel may stand half-done, before it is taken for stuck
 * @param finish how long KubeVirt may take to say that the move is done, with the guest on the destinations
 * @param poll when to look again where no event says so
 */
public record Settings(Duration nextMigration, Duration cancel, Duration finish, Duration poll) {
    public static final Settings DEFAULT =
            new Settings(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofMinutes(1));
}
