package io.kubevirt.ferry.standin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubevirt.ferry.standin.Script.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScriptTest {

    @Test
    void nothingSaidIsASuccess() {
        assertThat(Script.parse("").outcome()).isEqualTo(Outcome.OK);
        assertThat(Script.parse("").migratable()).isTrue();
    }

    @Test
    void wordsCombineInAnyOrder() {
        Script script = Script.parse("copy=3s fail step=20ms boot=1s hold=handover unmigratable");

        assertThat(script.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(script.copy()).isEqualTo(Duration.ofSeconds(3));
        assertThat(script.step()).isEqualTo(Duration.ofMillis(20));
        assertThat(script.boot()).isEqualTo(Duration.ofSeconds(1));
        assertThat(script.hold()).isEqualTo("handover");
        assertThat(script.migratable()).isFalse();
    }

    @Test
    void theReasonIsTheRest() {
        Script script = Script.parse("fail because the link went down");

        assertThat(script.outcome()).isEqualTo(Outcome.FAIL);
        assertThat(script.because()).isEqualTo("the link went down");
    }

    @Test
    void anUnknownWordIsSaid() {
        assertThatThrownBy(() -> Script.parse("explode")).hasMessageContaining("explode");
    }
}
