package io.kubevirt.ferry.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a directed migration may go, and why not elsewhere.
 *
 * @param matching the nodes that match the added term, those first from which the least keeps the pod off
 */
public record Explanation(List<Judged> matching) {

    private static final int MOST_NODES = 5;
    private static final int MOST_OBSTACLES = 3;

    /**
     * A node with everything but resources that keeps the target pod off it.
     *
     * @param obstacles empty if it qualifies
     */
    public record Judged(String node, List<Obstacle> obstacles) {

        public boolean qualifies() {
            return obstacles.isEmpty();
        }

        private String sentence() {
            if (qualifies()) {
                return node + " qualifies but for what the scheduler says";
            }
            return node + " "
                    + Listed.of(obstacles.stream().map(Obstacle::message).toList(), MOST_OBSTACLES);
        }
    }

    public static Explanation of(Demands demands, Collection<NodeView> nodes) {
        var rules = NodeRules.of(demands);
        return new Explanation(nodes.stream()
                .map(node -> new Judged(node.name(), rules.obstacles(node)))
                .filter(judged -> !judged.obstacles().contains(new Obstacle.AddedTerm()))
                .sorted(Comparator.comparingInt(
                                (Judged judged) -> judged.obstacles().size())
                        .thenComparing(Judged::node))
                .toList());
    }

    /** How many nodes the pod may go to, as far as anything but resources is concerned. */
    public int qualifying() {
        return (int) matching.stream().filter(Judged::qualifies).count();
    }

    /** How many nodes qualify, in words: "2 nodes qualify". */
    public String summary() {
        return switch (qualifying()) {
            case 0 -> "no node qualifies";
            case 1 -> "1 node qualifies";
            default -> qualifying() + " nodes qualify";
        };
    }

    /** What rules out each of up to five nodes that match the term, then a count; one line. */
    public String reasons() {
        if (matching.isEmpty()) {
            return "no node matches the added term";
        }
        List<String> sentences = matching.stream()
                .limit(MOST_NODES)
                .map(Judged::sentence)
                .collect(Collectors.toCollection(ArrayList::new));
        if (matching.size() > MOST_NODES) {
            sentences.add("and " + (matching.size() - MOST_NODES) + " more");
        }
        return "of the nodes that match the added term, " + String.join("; ", sentences);
    }
}
