package io.kubevirt.ferry.manager;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Set;

/**
 * Leaves a meter of the operator framework with the tags that all of its kind have: Prometheus takes no others.
 *
 * @param name of the meter
 * @param kept the keys of the tags that stay
 */
record EvenTags(String name, Set<String> kept) implements MeterFilter {
    @Override
    public Meter.Id map(Meter.Id id) {
        if (!id.getName().equals(name)) {
            return id;
        }
        return id.replaceTags(
                id.getTags().stream().filter(tag -> kept.contains(tag.getKey())).toList());
    }
}
