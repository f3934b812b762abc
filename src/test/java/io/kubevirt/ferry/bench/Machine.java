package io.kubevirt.ferry.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What the figures were measured on. */
final class Machine {
    private Machine() {}

    /** Processors, memory, kernel and Java, in one line. */
    static String describe() {
        return String.format(
                Locale.ROOT,
                "%d x %s, %d GiB, Linux %s, Java %s",
                Runtime.getRuntime().availableProcessors(),
                field("/proc/cpuinfo", "model name"),
                Math.round(Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) / 1024.0 / 1024),
                System.getProperty("os.version"),
                Runtime.version());
    }

    /** How many processes ran or waited to run, on average over the last minute. */
    static double load() {
        return Double.parseDouble(read("/proc/loadavg").split(" ", 2)[0]);
    }

    /** The processor time that a process has used, in seconds: what other processes do tells on it far less. */
    static double processorTime(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(time -> time.toMillis() / 1000.0)
                .orElse(0.0);
    }

    /** Memory of a process that is in RAM, in MiB, of one of the kinds that proc(5) names. */
    static double memory(long pid, String kind) {
        return Long.parseLong(field("/proc/" + pid + "/status", kind).replaceAll("\\D", "")) / 1024.0;
    }

    private static String field(String file, String name) {
        try (Stream<String> lines = read(file).lines()) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.split(":", 2)[1].strip())
                    .findFirst()
                    .orElse("?");
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
