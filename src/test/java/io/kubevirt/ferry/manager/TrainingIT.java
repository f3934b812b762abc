package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build of the image does with the packaged manager, which it cannot try on a cluster. */
class TrainingIT {
    @Test
    void theManagerGetsReadyAgainstTheLeastOfAnApiServerAndLeavesACacheOfClasses(@TempDir Path folder)
            throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path cache = folder.resolve("kubevirt-ferry.aot");

        Process training = new ProcessBuilder(
                        java,
                        "src/build/Training.java",
                        cache.toString(),
                        java,
                        "@src/build/jvm.options",
                        "-jar",
                        "target/kubevirt-ferry.jar")
                .redirectErrorStream(true)
                .start();
        String said = new String(training.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(training.waitFor()).as(said).isZero();
        assertThat(said).contains("caches are filled", "leads");
        assertThat(cache).isNotEmptyFile();
    }
}
