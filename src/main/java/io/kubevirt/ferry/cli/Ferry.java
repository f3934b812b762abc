package io.kubevirt.ferry.cli;

import java.io.PrintWriter;
import org.slf4j.LoggerFactory;
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
    private static final int HELP_WIDTH = 100;

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
        unlessAllowedWithoutUnsafe();
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Ferry())
                .setDefaultValueProvider(new EnvironmentDefaults(System::getenv))
                .setExecutionExceptionHandler(Ferry::failed)
                .setUsageHelpWidth(HELP_WIDTH)
                .setUsageHelpLongOptionsMaxWidth(HELP_WIDTH / 2)
                .setParameterExceptionHandler(Ferry::misused);
    }

    /** What is wrong and where to read on: the whole help would push it off the screen. */
    private static int misused(CommandLine.ParameterException e, String... arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(e.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(e, err);
        err.println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Whoever ran it wants to know what to do, not where in the code it ended. */
    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        LoggerFactory.getLogger(Ferry.class).debug("the cause", e);
        command.getErr().println(command.getCommandName() + ": " + Failure.words(e));
        return CommandLine.ExitCode.SOFTWARE;
    }

    /**
     * Netty takes memory by way of {@code sun.misc.Unsafe}, of which the JVM warns on standard error unless it was told to
     * allow that, as in the image. Where it was not Netty does without.
     */
    private static void unlessAllowedWithoutUnsafe() {
        if (System.getProperty("sun.misc.unsafe.memory.access") == null) {
            System.setProperty("io.netty.noUnsafe", "true");
        }
    }
}
