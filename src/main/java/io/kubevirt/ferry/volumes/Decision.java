package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.VolumeMigrationStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * What to do about an observation: write the status, if it differs from the one that was read, with the resourceVersion that
 * was read; only then, and only if that succeeded, carry out the action; look again when something changes or after the
 * time given, at the latest.
 *
 * <p>Whatever the run has to remember ({@code status.original}) changes in decisions without an action alone: what follows
 * from it is decided on what is read after it was written.
 */
public record Decision(VolumeMigrationStatus status, Optional<Action> action, Optional<Duration> again) {}
