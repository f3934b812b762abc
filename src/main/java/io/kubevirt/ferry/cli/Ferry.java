package io.kubevirt.ferry.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code ferry} command. */
@Command(
        name = "ferry",
        mixinStandardHelpOptions = true,
        versionProvider = Ferry.Version.class,
        description = "Directed live migration for KubeVirt.",
        subcommands = {ManagerCommand.class, UninstallCommand.class})
public final class Ferry {
    /** The version that the jar carries. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Ferry.class.getPackage().getImplementationVersion();
            return new String[] {"kubevirt-ferry " + (version == null ? "(not from a jar)" : version)};
        }
    }

    private Ferry() {}

    /** Runs a command line; the process ends with its exit code. */
    public static void main(String... args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Ferry())
                .setDefaultValueProvider(new EnvironmentDefaults(System::getenv))
                .setUsageHelpAutoWidth(true);
    }
}
