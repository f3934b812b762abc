package io.kubevirt.ferry.placement;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The many ways to write a term as JSON or YAML, right and wrong. */
final class RandomText {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]*");

    private static final String CHARACTERS = "{}[],:\"'\\ \n\t-#&*!|>?%@`~0aé\u0000\u0085\uFEFF\uD800";

    private final RandomGenerator random;
    private final RandomTerms terms;

    RandomText(RandomGenerator random) {
        this.random = random;
        this.terms = new RandomTerms(random);
    }

    /** A text that says just this term. */
    String of(NodeSelectorTerm term) {
        return write(tree(term), false);
    }

    /** As {@link #of}, but what YAML reads as a number, a boolean or null is not always quoted. */
    String careless(NodeSelectorTerm term) {
        return write(tree(term), true);
    }

    /** A text that cannot be decoded into a term. */
    String broken(NodeSelectorTerm term) {
        Tree.Obj tree = tree(term);
        String json = json(tree);
        String text = of(term);
        return switch (random.nextInt(8)) {
            case 0 -> json.substring(0, random.nextInt(json.length()));
            case 1 -> json + terms.pick(List.of("}", "]", "{}", ",", "x", "\"\"", "\n{}"));
            case 2 ->
                terms.pick(List.of(
                        "", " ", "\n", "[]", "5", "\"text\"", "true", "[{}]", "key: [", "\t- a", "{", "- a\nb"));
            case 3 ->
                text.replaceFirst(
                        "match(Expressions|Fields)",
                        terms.pick(List.of("match", "MatchFields", "matchfields", "spec")));
            default -> write(wrong(tree), false);
        };
    }

    /** The text with a few characters lost, doubled or replaced. */
    String mangled(NodeSelectorTerm term) {
        var text = new StringBuilder(of(term));
        for (int i = 0; i <= random.nextInt(3) && !text.isEmpty(); i++) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, text.charAt(at));
                default -> text.setCharAt(at, CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
            }
        }
        return text.toString();
    }

    static Tree.Obj tree(NodeSelectorTerm term) {
        return new Tree.Obj(List.of(
                new Tree.Member("matchExpressions", requirements(Requirements.expressions(term))),
                new Tree.Member("matchFields", requirements(Requirements.fields(term)))));
    }

    private static Tree requirements(List<NodeSelectorRequirement> requirements) {
        return new Tree.Arr(requirements.stream().map(RandomText::requirement).toList());
    }

    private static Tree requirement(NodeSelectorRequirement requirement) {
        List<Tree> values = Requirements.values(requirement).stream()
                .<Tree>map(Tree.Text::new)
                .toList();
        return new Tree.Obj(List.of(
                new Tree.Member("key", new Tree.Text(Requirements.key(requirement))),
                new Tree.Member("operator", new Tree.Text(Requirements.operator(requirement))),
                new Tree.Member("values", new Tree.Arr(values))));
    }

    /** The tree with one thing in it that a term has not. */
    private Tree wrong(Tree tree) {
        return switch (tree) {
            case Tree.Obj(var members) -> wrongObject(members);
            case Tree.Arr(var items)
            when !items.isEmpty() && !terms.once(4) -> {
                var changed = new ArrayList<>(items);
                int at = random.nextInt(items.size());
                changed.set(at, wrong(items.get(at)));
                yield new Tree.Arr(changed);
            }
            case Tree.Arr _ ->
                terms.pick(List.of(new Tree.Text("r1"), new Tree.Obj(List.of()), new Tree.Unquoted("a number", "5")));
            case Tree.Text _ ->
                terms.pick(List.of(
                        new Tree.Unquoted("a number", terms.pick(List.of("5", "-1", "1.5", "1e3"))),
                        new Tree.Unquoted("a boolean", terms.pick(List.of("true", "false"))),
                        new Tree.Arr(List.of()),
                        new Tree.Obj(List.of())));
            case Tree.Unquoted _, Tree.Null _ -> tree;
        };
    }

    private Tree wrongObject(List<Tree.Member> members) {
        var changed = new ArrayList<>(members);
        int at = random.nextInt(members.size());
        Tree.Member member = members.get(at);
        switch (random.nextInt(4)) {
            case 0 -> changed.add(random.nextInt(changed.size() + 1), member);
            case 1 ->
                changed.add(
                        random.nextInt(changed.size() + 1),
                        new Tree.Member(
                                terms.pick(
                                        List.of("Key", "value", "operators", "matchLabels", "weight", "<<", "", "a.b")),
                                terms.pick(List.of(new Tree.Null(), new Tree.Arr(List.of()), new Tree.Text("x")))));
            default -> changed.set(at, new Tree.Member(member.name(), wrong(member.value())));
        }
        return new Tree.Obj(changed);
    }

    private String write(Tree tree, boolean careless) {
        return switch (random.nextInt(3)) {
            case 0 -> json(tree);
            case 1 -> new Yaml(careless).flow(tree);
            default -> new Yaml(careless).document(tree);
        };
    }

    private String json(Tree tree) {
        String gap = terms.pick(List.of("", " ", "\n  "));
        return switch (tree) {
            case Tree.Obj(var members) ->
                members.stream()
                        .map(member -> quoted(member.name()) + ":" + gap + json(member.value()))
                        .collect(java.util.stream.Collectors.joining("," + gap, "{" + gap, gap + "}"));
            case Tree.Arr(var items) ->
                items.stream().map(this::json).collect(java.util.stream.Collectors.joining("," + gap, "[", "]"));
            case Tree.Text(var text) -> quoted(text);
            case Tree.Unquoted(var _, var text) -> text;
            case Tree.Null _ -> "null";
        };
    }

    /** A double-quoted text that is right in JSON as in YAML. */
    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').appendCodePoint(c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted(c));
            } else {
                quoted.appendCodePoint(c);
            }
        });
        return quoted.append('"').toString();
    }

    private final class Yaml {
        private final boolean careless;

        Yaml(boolean careless) {
            this.careless = careless;
        }

        String document(Tree tree) {
            String start = terms.pick(List.of("", "---\n", "# a term\n", "\n"));
            return start
                    + block(tree, "").replaceFirst("^\n", "")
                    + terms.pick(List.of("\n", "", "\n...\n", " # end\n"));
        }

        private String block(Tree tree, String indent) {
            return switch (tree) {
                case Tree.Obj(var members)
                when !members.isEmpty() && !terms.once(5) ->
                    members.stream()
                            .map(member ->
                                    "\n" + indent + name(member.name()) + ": " + block(member.value(), indent + "  "))
                            .collect(java.util.stream.Collectors.joining());
                case Tree.Arr(var items)
                when !items.isEmpty() && !terms.once(5) ->
                    items.stream()
                            .map(item -> "\n" + indent + "- "
                                    + block(item, indent + "  ").stripLeading())
                            .collect(java.util.stream.Collectors.joining());
                default -> flow(tree);
            };
        }

        String flow(Tree tree) {
            return switch (tree) {
                case Tree.Obj(var members) ->
                    members.stream()
                            .map(member -> name(member.name()) + ": " + flow(member.value()))
                            .collect(java.util.stream.Collectors.joining(", ", "{", "}"));
                case Tree.Arr(var items) ->
                    items.stream().map(this::flow).collect(java.util.stream.Collectors.joining(", ", "[", "]"));
                case Tree.Text(var text) -> text(text);
                case Tree.Unquoted(var _, var text) -> text;
                case Tree.Null _ -> terms.pick(List.of("null", "~"));
            };
        }

        private String name(String name) {
            return PLAIN.matcher(name).matches() ? name : quoted(name);
        }

        private String text(String text) {
            boolean plain = PLAIN.matcher(text).matches() && (careless || !YamlText.isNotText(text));
            return switch (random.nextInt(3)) {
                case 0 -> plain ? text : quoted(text);
                case 1 ->
                    text.chars().allMatch(c -> c > ' ' && c < 127) ? "'" + text.replace("'", "''") + "'" : quoted(text);
                default -> quoted(text);
            };
        }
    }
}
