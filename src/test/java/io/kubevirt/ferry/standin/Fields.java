package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A schema as a list of its leaves, one {@code path type} a line.
 *
 * <p>In a path {@code []} stands for the items of a list and <code>{}</code> for the values of a map. A type is one of
 * {@link Type}, with a question mark if null is allowed, or {@code @name}: the leaves of the listing of that name.
 */
final class Fields {

    private static final String STAND_INS = "/standin/crds/";
    private static final String KUBEVIRTS = "/standin/schemas/";

    /** What a leaf may hold. */
    enum Type {
        STRING,
        BOOLEAN,
        INTEGER,
        NUMBER,
        QUANTITY,
        DATE_TIME,
        OBJECT,
        /** An object whose fields are not looked at. */
        ANY;

        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private Fields() {}

    /** The leaves of a listing of the stand-in, those it includes put in, by path. */
    static Map<String, String> of(String listing) {
        return of(STAND_INS, listing);
    }

    /** The leaves of KubeVirt's own schema of a kind, by path. */
    static Map<String, String> schemaOfKubeVirt(Kind kind) {
        return of(KUBEVIRTS, kind.plural);
    }

    private static Map<String, String> of(String folder, String listing) {
        Map<String, String> leaves = new TreeMap<>();
        for (String line : lines(folder + listing + ".fields")) {
            int space = line.indexOf(' ');
            String path = line.substring(0, space);
            String type = line.substring(space + 1);
            if (type.startsWith("@")) {
                of(folder, type.substring(1)).forEach((inner, leaf) -> leaves.put(path + "." + inner, leaf));
            } else {
                leaves.put(path, type);
            }
        }
        return leaves;
    }

    static List<String> lines(String resource) {
        try (InputStream in = Fields.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + resource);
            }
            List<String> lines = new ArrayList<>();
            BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    lines.add(line);
                }
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The structural schema that has these leaves and no other. */
    static ObjectNode schema(Map<String, String> leaves) {
        ObjectNode root = Item.object().put("type", "object");
        leaves.forEach((path, type) -> leaf(descend(root, path), type));
        return root;
    }

    private static ObjectNode descend(ObjectNode root, String path) {
        ObjectNode at = root;
        for (String step : path.replace("[]", ".[]").replace("{}", ".{}").split("\\.", -1)) {
            at = switch (step) {
                case "[]" -> at.put("type", "array").withObject("/items");
                case "{}" -> at.put("type", "object").withObject("/additionalProperties");
                default -> at.put("type", "object").withObject("/properties").withObject("/" + step);
            };
        }
        return at;
    }

    private static void leaf(ObjectNode at, String text) {
        boolean nullable = text.endsWith("?");
        String name = nullable ? text.substring(0, text.length() - 1) : text;
        Type type = Arrays.stream(Type.values())
                .filter(each -> each.text().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no type " + text));
        switch (type) {
            case STRING, BOOLEAN, INTEGER, NUMBER, OBJECT -> at.put("type", type.text());
            case QUANTITY -> at.put("x-kubernetes-int-or-string", true);
            case DATE_TIME -> at.put("type", "string").put("format", "date-time");
            case ANY -> at.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
        }
        if (nullable) {
            at.put("nullable", true);
        }
    }
}
