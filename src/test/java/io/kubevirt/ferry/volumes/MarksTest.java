package io.kubevirt.ferry.volumes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubevirt.ferry.volumes.Marks.Owner;
import io.kubevirt.ferry.volumes.Marks.Restore;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** What is written is read back, and everything else is nobody's. */
class MarksTest {

    @Property
    void locksAndMarksNameTheirRun(@ForAll @IntRange(min = 1) int run, @ForAll @AlphaChars String last) {
        var migration = new Scene().migration();
        if (run <= 999_999_999) {
            assertThat(Marks.ownerOfLock(Marks.lock(migration, run, last))).contains(new Owner("volmig-uid", run));
            assertThat(Marks.ownerOfMark(Marks.mark(migration, run))).contains(new Owner("volmig-uid", run));
        }
    }

    @Property
    void whateverElseIsWrittenThereIsNobodys(@ForAll String text) {
        assertThat(Marks.ownerOfLock(text)).isEmpty();
        assertThat(Marks.ownerOfMark(text)).isEmpty();
    }

    @Property
    void theNameOfAMigrationIsALabelHoweverLongItsOwners(
            @ForAll @StringLength(min = 1, max = 253) @AlphaChars @NumericChars @Chars({'-', '.'}) String name,
            @ForAll @IntRange(min = 1, max = 9999) int run,
            @ForAll @IntRange(min = 1, max = 99) int attempt) {
        var migration = new Scene().migration();
        migration.getMetadata().setName("a" + name + "a");
        assertThat(Marks.migrationName(migration, run, attempt))
                .hasSizeLessThanOrEqualTo(63)
                .endsWith("-" + attempt)
                .doesNotMatch(".*[.-]-[0-9a-f]+-" + attempt)
                .isEqualTo(Marks.migrationName(migration, run, attempt))
                .isNotEqualTo(Marks.migrationName(migration, run + 1, attempt));
    }

    @Test
    void aRestoreSaysWhatOnceTheVmiIsGone() {
        assertThat(Restore.parse("vmi-uid/Replacement")).contains(new Restore("vmi-uid", Optional.of("Replacement")));
        assertThat(Restore.parse("vmi-uid/")).contains(new Restore("vmi-uid", Optional.empty()));
        assertThat(Restore.parse("vmi-uid")).isEmpty();
        assertThat(new Restore("vmi-uid", Optional.empty()).text()).isEqualTo("vmi-uid/");
    }
}
