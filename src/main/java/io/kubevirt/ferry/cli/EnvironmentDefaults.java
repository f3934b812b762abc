package io.kubevirt.ferry.cli;

import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes what the command line leaves out from the environment: {@code --webhook-port} from {@code FERRY_WEBHOOK_PORT}. */
final class EnvironmentDefaults implements IDefaultValueProvider {
    private final UnaryOperator<@Nullable String> environment;

    EnvironmentDefaults(UnaryOperator<@Nullable String> environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return null;
        }
        // One that a manifest sets to nothing is left out: taken literally it would turn off what is on by default.
        @Nullable String value = environment.apply(variable(option.longestName()));
        return value == null || value.isBlank() ? null : value;
    }

    /** The variable that stands for an option. */
    static String variable(String option) {
        return "FERRY_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }
}
