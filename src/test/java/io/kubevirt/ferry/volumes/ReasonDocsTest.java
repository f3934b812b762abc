package io.kubevirt.ferry.volumes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.volumes.Next.Situation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/volume-migration.md tells of every reason, in the order of the code, on a condition that shows it. */
class ReasonDocsTest {
    private static final Pattern ROW = Pattern.compile("\\| (.+?) \\| `?([^`|]+?)`? \\| `(\\w+)` \\| (.+?) \\|");

    private record Row(String condition, Reason reason) {}

    @Test
    void everyReasonIsTold() throws IOException {
        assertThat(rows()).extracting(Row::reason).containsExactly(Reason.values());
    }

    @Test
    void onAConditionThatShowsIt() throws IOException {
        for (Row row : rows()) {
            assertThat(shown(row.reason())).as("%s", row.reason()).contains(row.condition());
        }
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(Path.of("docs/volume-migration.md")).stream()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .map(row -> new Row(row.group(2), Reason.valueOf(row.group(3))))
                .toList();
    }

    private static List<String> shown(Reason reason) {
        var words = "words";
        return switch (reason.shows()) {
            case RejectedVolume -> List.of("volume");
            case Accepted -> conditions(Reason.Migrating, Optional.empty(), reason);
            case Reclaimed -> conditions(Reason.Migrated, Optional.of(new Situation(reason, words)), reason);
            case Pending, Rejected, Working, Reclaiming, Done, Failed ->
                conditions(reason, Optional.of(new Situation(Reason.Retained, words)), reason);
        };
    }

    private static List<String> conditions(Reason situation, Optional<Situation> reclaimed, Reason reason) {
        return Conditions.of(new Scene().migration(), new Situation(situation, "words"), reclaimed, Scene.NOW).stream()
                .filter(condition -> condition.reason().equals(reason.name()))
                .map(condition -> condition.type() + "=" + condition.status())
                .toList();
    }
}
