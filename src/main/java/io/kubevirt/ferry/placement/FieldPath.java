package io.kubevirt.ferry.placement;

import java.util.regex.Pattern;

/** A path to a field as Kubernetes writes it; an empty one is the root of an object without a name. */
record FieldPath(String text) {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,62}");

    /** The member {@code name}; a name that is not plain is quoted and cut, since anybody may have chosen it. */
    FieldPath child(String name) {
        if (!PLAIN.matcher(name).matches()) {
            return new FieldPath(text + "[" + Quoted.of(name) + "]");
        }
        return new FieldPath(text.isEmpty() ? name : text + "." + name);
    }

    FieldPath index(int i) {
        return new FieldPath(text + "[" + i + "]");
    }

    FieldError error(String message) {
        return new FieldError(text, message);
    }
}
