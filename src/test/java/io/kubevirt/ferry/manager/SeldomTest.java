package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SeldomTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Seldom seldom = new Seldom(Duration.ofNanos(10), nanos::get);

    @Test
    void theFirstGoesThrough() {
        assertThat(seldom.next()).hasValue(0);
    }

    @Test
    void whatComesWithinThePeriodIsLeftOutAndCounted() {
        assertThat(seldom.next()).hasValue(0);
        assertThat(seldom.next()).isEmpty();
        nanos.addAndGet(9); // past the largest long, as System.nanoTime may go
        assertThat(seldom.next()).isEmpty();

        nanos.addAndGet(1);

        assertThat(seldom.next()).hasValue(2);
    }

    @Test
    void theCountStartsAnewEachTime() {
        assertThat(seldom.next()).hasValue(0);
        assertThat(seldom.next()).isEmpty();
        nanos.addAndGet(10);
        assertThat(seldom.next()).hasValue(1);
        nanos.addAndGet(10);

        assertThat(seldom.next()).hasValue(0);
    }
}
