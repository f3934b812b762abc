package io.kubevirt.ferry.volumes.simulation;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** In how many schedules each situation came up. */
final class Coverage {
    private final Map<String, Integer> schedules = new TreeMap<>();
    private int total;

    synchronized void add(Schedule schedule) {
        total++;
        for (var move : schedule.trace.counts().keySet()) {
            count("transition " + move);
        }
        for (var event : schedule.people.done) {
            count("people " + event);
        }
        for (var subtlety : schedule.cluster.subtleties) {
            count("subtlety " + subtlety);
        }
        for (var situation : schedule.laws.situations) {
            count(situation);
        }
    }

    private void count(String situation) {
        schedules.merge(situation, 1, Integer::sum);
    }

    /** What of the wanted never came up. */
    Set<String> missing(Set<String> wanted) {
        return wanted.stream().filter(name -> !schedules.containsKey(name)).collect(Collectors.toSet());
    }

    @Override
    public String toString() {
        return total + " schedules\n"
                + schedules.entrySet().stream()
                        .map(entry -> String.format("%7d  %s%n", entry.getValue(), entry.getKey()))
                        .collect(Collectors.joining());
    }
}
