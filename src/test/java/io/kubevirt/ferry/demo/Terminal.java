package io.kubevirt.ferry.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Prints each command that an admin would type, runs exactly that text in a shell, and prints what it prints. */
final class Terminal {
    private final PrintStream out;
    private final Map<String, String> environment;
    private final long started = System.nanoTime();

    /**
     * @param environment is added to this process's own
     */
    Terminal(PrintStream out, Map<String, String> environment) {
        this.out = out;
        this.environment = environment;
    }

    /** A line of its own. */
    void say(String line) {
        out.println(line);
    }

    /** A line with the time since the start. */
    void note(String line) {
        Duration since = Duration.ofNanos(System.nanoTime() - started);
        out.printf("[%d:%02d] %s%n", since.toMinutes(), since.toSecondsPart(), line);
    }

    /** A headline, with the time since the start. */
    void headline(String line) {
        out.println();
        note(line);
    }

    /** What was checked, and held. */
    void held(String line) {
        out.println("=> " + line);
    }

    /**
     * Runs a command that must succeed.
     *
     * @return what it printed
     * @throws DemoException if it fails
     */
    String run(String command) {
        Ran ran = ran(command);
        if (ran.exit != 0) {
            throw new DemoException("that command was to succeed; it ended with " + ran.exit);
        }
        return ran.output;
    }

    /**
     * Runs a command that must be refused.
     *
     * @return what it printed
     * @throws DemoException if it succeeds
     */
    String refused(String command) {
        Ran ran = ran(command);
        if (ran.exit == 0) {
            throw new DemoException("that command was to be refused; it succeeded");
        }
        return ran.output;
    }

    private record Ran(String output, int exit) {}

    private Ran ran(String command) {
        out.println("$ " + command);
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", command)
                .directory(Path.of("").toAbsolutePath().toFile())
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            out.print(output.isEmpty() || output.endsWith("\n") ? output : output + "\n");
            return new Ran(output, process.waitFor());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("interrupted");
        }
    }
}
