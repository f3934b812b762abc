package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What an admin should know at once about a term that is right, but with which the VM cannot move now. */
public final class Warnings {

    private static final int MOST_NAMES = 5;
    private static final int MOST_REASONS = 7;

    private Warnings() {}

    /**
     * One line each; empty if a node qualifies, resources aside.
     *
     * @param nodes all nodes of the cluster
     */
    public static List<String> of(Demands demands, Collection<NodeView> nodes) {
        Explanation explanation = Explanation.of(demands, nodes);
        List<Explanation.Judged> matching = explanation.matching();
        if (explanation.qualifying() > 0) {
            return List.of();
        }
        if (matching.isEmpty()) {
            return List.of("no node matches the added term" + noSuchNode(demands.term(), nodes));
        }
        if (matching.size() == 1 && matching.getFirst().obstacles().contains(new Obstacle.CurrentNode())) {
            return List.of("the added term matches only " + matching.getFirst().node()
                    + ", the node that the VM is on, to which it cannot migrate");
        }
        var warnings = new ArrayList<String>();
        warnings.add(
                matching.size() == 1
                        ? "the one node that matches the added term cannot take the VM now"
                        : "none of the " + matching.size() + " nodes that match the added term can take the VM now");
        warnings.addAll(reasons(matching));
        return List.copyOf(warnings);
    }

    private static List<String> reasons(List<Explanation.Judged> matching) {
        Map<String, List<String>> nodes = new LinkedHashMap<>();
        for (Explanation.Judged judged : matching) {
            for (Obstacle obstacle : judged.obstacles()) {
                nodes.computeIfAbsent(obstacle.heading(), _ -> new ArrayList<>())
                        .add(judged.node());
            }
        }
        List<String> reasons = nodes.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + Listed.of(entry.getValue(), MOST_NAMES))
                .collect(Collectors.toCollection(ArrayList::new));
        if (reasons.size() <= MOST_REASONS) {
            return reasons;
        }
        String more = "and " + (reasons.size() - MOST_REASONS) + " more reasons";
        reasons.subList(MOST_REASONS, reasons.size()).clear();
        reasons.add(more);
        return reasons;
    }

    /** Where the term names a node that is not there, that is why. */
    private static String noSuchNode(NodeSelectorTerm term, Collection<NodeView> nodes) {
        Set<String> names = nodes.stream().map(NodeView::name).collect(Collectors.toSet());
        Optional<String> missing = Requirements.fields(term).stream()
                .filter(requirement -> Requirements.operator(requirement).equals("In"))
                .map(Requirements::values)
                .flatMap(List::stream)
                .filter(name -> !names.contains(name))
                .findFirst();
        return missing.map(name -> ": there is no node " + name).orElse("");
    }
}
