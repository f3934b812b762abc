package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Original;
import io.kubevirt.ferry.api.ReclaimPolicy;
import io.kubevirt.ferry.api.VolumeMigration;
import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;

/** One volume of a run, from which claim to which. */
record Move(String volume, String source, String destination, boolean deleteSource) {

    /** Those of a run, by the volumes that were recorded before anything was changed. */
    static List<Move> all(VolumeMigration migration, Original run) {
        return run.before().volumes().stream()
                .map(Volume::new)
                .flatMap(volume -> migration.getSpec().migratedVolume().stream()
                        .filter(asked ->
                                volume.claim().filter(asked.sourcePvc()::equals).isPresent())
                        .map(asked -> new Move(
                                volume.name(),
                                asked.sourcePvc(),
                                asked.destinationPvc(),
                                asked.reclaimPolicy() == ReclaimPolicy.Delete)))
                .toList();
    }

    /** Which claims an object names for the volumes of a run. */
    enum Side {
        Sources,
        Destinations,
        /** Others, or some of both. */
        Neither;

        static Side of(List<Volume> volumes, List<Move> moves) {
            if (moves.stream().allMatch(move -> names(volumes, move.volume, move.source))) {
                return Sources;
            }
            return moves.stream().allMatch(move -> names(volumes, move.volume, move.destination))
                    ? Destinations
                    : Neither;
        }

        private static boolean names(List<Volume> volumes, String name, String claim) {
            return volumes.stream()
                    .filter(volume -> volume.name().equals(name))
                    .anyMatch(volume -> volume.claim().filter(claim::equals).isPresent());
        }
    }
}
