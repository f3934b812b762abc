package io.kubevirt.ferry.volumes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kubevirt.ferry.api.Names;
import io.kubevirt.ferry.kubevirt.Volume;
import io.kubevirt.ferry.patch.JsonPatch;
import io.kubevirt.ferry.volumes.Action.Change;
import io.kubevirt.ferry.volumes.Action.Machine;
import io.kubevirt.ferry.volumes.Action.Placed;
import io.kubevirt.ferry.volumes.Action.Ref;
import io.kubevirt.ferry.volumes.Action.StrategyChange;
import io.kubevirt.ferry.volumes.Action.TemplateChange;
import java.util.List;
import java.util.Optional;

/**
 * The JSON patches of actions: first what must still be so, then what changes. A {@code test} for null holds where the API
 * server finds nothing at the path, as long as there is something to find it in.
 */
public final class Patches {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String FINALIZERS = "/metadata/finalizers";
    private static final String LABELS = "/metadata/labels";
    private static final String ANNOTATIONS = "/metadata/annotations";
    private static final String VOLUMES = "/spec/template/spec/volumes/";
    private static final String TEMPLATES = "/spec/dataVolumeTemplates";
    private static final String STRATEGY = "/spec/updateVolumesStrategy";

    private static final String STATUS = "/status";

    private final JsonPatch patch = JsonPatch.start();

    private Patches() {}

    public static ArrayNode of(Action.Patch action) {
        var patches = new Patches();
        patches.add(action);
        return patches.patch.build();
    }

    private void add(Action.Patch action) {
        switch (action) {
            case Action.AddFinalizer(Ref migration, List<String> finalizers) -> {
                testUid(migration.uid());
                addFinalizer(finalizers);
            }
            case Action.RemoveFinalizer(
                    Ref migration,
                    List<String> finalizers,
                    boolean reported,
                    Optional<Integer> run) -> {
                testUid(migration.uid());
                testRun(reported, run);
                removeFinalizer(finalizers);
            }
            case Action.Hold(Ref instance, List<String> finalizers, boolean labelled, String mark) -> {
                testUid(instance.uid());
                addFinalizer(finalizers);
                put(LABELS, labelled, Optional.empty(), mark);
            }
            case Action.Release(Ref instance, List<String> finalizers, Optional<String> mark) -> {
                testUid(instance.uid());
                mark.ifPresent(value -> take(LABELS, Names.VOLUME_MIGRATION, value));
                removeFinalizer(finalizers);
            }
            case Action.Lock(Machine machine, boolean annotated, String lock, List<Placed<Volume>> volumes) -> {
                testMachine(machine);
                testVolumes(volumes);
                put(ANNOTATIONS, annotated, Optional.empty(), lock);
            }
            case Action.ChangeVolumes(
                    Machine machine,
                    String lock,
                    List<Change<Volume>> volumes,
                    TemplateChange templates,
                    StrategyChange strategy) -> {
                testMachine(machine);
                testLock(lock);
                change(strategy);
                change(volumes);
                change(templates);
            }
            case Action.PutBack(
                    Machine machine,
                    String lock,
                    List<Change<Volume>> volumes,
                    TemplateChange templates,
                    Optional<StrategyChange> strategy) -> {
                testMachine(machine);
                testLock(lock);
                strategy.ifPresent(this::change);
                change(volumes);
                change(templates);
            }
            case Action.ChangeStrategy(
                    Machine machine,
                    String lock,
                    List<Placed<Volume>> volumes,
                    StrategyChange strategy) -> {
                testMachine(machine);
                testLock(lock);
                testVolumes(volumes);
                change(strategy);
            }
            case Action.Unlock(
                    Machine machine,
                    String lock,
                    List<Placed<Volume>> volumes,
                    Optional<String> restore) -> {
                testMachine(machine);
                testVolumes(volumes);
                take(ANNOTATIONS, Names.VOLUME_MIGRATION, lock);
                restore.ifPresent(text -> patch.add(path(ANNOTATIONS, Names.RESTORE_STRATEGY), JSON.textNode(text)));
            }
            case Action.SettleStrategy(Machine machine, String restore, Optional<StrategyChange> strategy) -> {
                testMachine(machine);
                strategy.ifPresent(this::change);
                take(ANNOTATIONS, Names.RESTORE_STRATEGY, restore);
            }
            case Action.MarkSource(Action.Source source, boolean annotated, String mark) -> {
                testSource(source);
                put(ANNOTATIONS, annotated, Optional.of(source), mark);
            }
            case Action.UnmarkSource(Action.Source source, String mark) -> {
                testSource(source);
                take(ANNOTATIONS, Names.VOLUME_MIGRATION, mark);
            }
        }
    }

    private void testUid(String uid) {
        patch.test("/metadata/uid", JSON.textNode(uid));
    }

    private void testRun(boolean reported, Optional<Integer> run) {
        run.ifPresentOrElse(
                number -> patch.test(STATUS + "/original/run", JSON.numberNode(number)),
                () -> patch.test(reported ? STATUS + "/original" : STATUS, JSON.nullNode()));
    }

    private void testMachine(Machine machine) {
        testUid(machine.uid());
        patch.test("/metadata/generation", JSON.numberNode(machine.generation()));
    }

    private void testSource(Action.Source source) {
        testUid(source.object().uid());
        patch.test("/metadata/resourceVersion", JSON.textNode(source.resourceVersion()));
    }

    private void testLock(String lock) {
        patch.test(path(ANNOTATIONS, Names.VOLUME_MIGRATION), JSON.textNode(lock));
    }

    private void testVolumes(List<Placed<Volume>> volumes) {
        volumes.forEach(
                volume -> patch.test(VOLUMES + volume.index(), volume.value().json()));
    }

    private void change(List<Change<Volume>> volumes) {
        for (var volume : volumes) {
            patch.test(VOLUMES + volume.index(), volume.before().json());
            patch.replace(VOLUMES + volume.index(), volume.after().json());
        }
    }

    private void change(StrategyChange strategy) {
        change(STRATEGY, strategy.before().map(JSON::textNode), strategy.after().map(JSON::textNode));
    }

    private void change(TemplateChange templates) {
        change(
                TEMPLATES,
                templates.before().map(list -> JSON.arrayNode().addAll(list)),
                templates.after().map(list -> JSON.arrayNode().addAll(list)));
    }

    private void change(String path, Optional<? extends JsonNode> before, Optional<? extends JsonNode> after) {
        if (before.equals(after)) {
            return;
        }
        patch.test(path, before.<JsonNode>map(value -> value).orElse(JSON.nullNode()));
        after.ifPresentOrElse(value -> patch.add(path, value), () -> patch.remove(path));
    }

    private void addFinalizer(List<String> finalizers) {
        if (finalizers.isEmpty()) {
            patch.test(FINALIZERS, JSON.nullNode());
            patch.add(FINALIZERS, JSON.arrayNode().add(Names.VOLUME_MIGRATION));
        } else {
            patch.test(FINALIZERS, texts(finalizers));
            patch.add(FINALIZERS + "/-", JSON.textNode(Names.VOLUME_MIGRATION));
        }
    }

    private void removeFinalizer(List<String> finalizers) {
        int index = finalizers.indexOf(Names.VOLUME_MIGRATION);
        if (index >= 0) {
            patch.test(FINALIZERS, texts(finalizers));
            patch.remove(FINALIZERS + "/" + index);
        }
    }

    /**
     * Puts our text where there is none yet; on a source, which is tested as a whole, over any other.
     *
     * @param there whether there is anything in the map
     */
    private void put(String map, boolean there, Optional<Action.Source> tested, String text) {
        if (!there) {
            if (tested.isEmpty()) {
                patch.test(map, JSON.nullNode());
            }
            patch.add(map, JSON.objectNode().put(Names.VOLUME_MIGRATION, text));
            return;
        }
        if (tested.isEmpty()) {
            patch.test(path(map, Names.VOLUME_MIGRATION), JSON.nullNode());
        }
        patch.add(path(map, Names.VOLUME_MIGRATION), JSON.textNode(text));
    }

    private void take(String map, String name, String text) {
        patch.test(path(map, name), JSON.textNode(text));
        patch.remove(path(map, name));
    }

    private static String path(String map, String key) {
        return map + "/" + JsonPatch.step(key);
    }

    private static ArrayNode texts(List<String> all) {
        var array = JSON.arrayNode();
        all.forEach(array::add);
        return array;
    }
}
