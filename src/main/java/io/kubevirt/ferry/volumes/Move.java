package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.kubevirt.Volume;
import java.util.List;

/** One volume of a run, from which claim to which. */
record Move(String volume, String source, String destination, boolean deleteSource) {

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
