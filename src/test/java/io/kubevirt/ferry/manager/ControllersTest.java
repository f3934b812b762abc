package io.kubevirt.ferry.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.javaoperatorsdk.operator.api.config.BaseConfigurationService;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ControllersTest {
    private static final class Idle implements Reconciler<ConfigMap> {
        @Override
        public UpdateControl<ConfigMap> reconcile(ConfigMap object, Context<ConfigMap> context) {
            return UpdateControl.noUpdate();
        }
    }

    private final ControllerConfiguration<ConfigMap> plain =
            new BaseConfigurationService().getConfigurationFor(new Idle());
    private final ControllerConfiguration<ConfigMap> ours = Controllers.whenSomethingHappens(
                    ControllerConfigurationOverrider.override(plain))
            .build();

    @Test
    void aReconciliationLeavesNothingInATimer() {
        assertThat(plain.maxReconciliationInterval()).isPresent();
        assertThat(ours.maxReconciliationInterval()).isEmpty();
    }

    @Test
    void aFailedReconciliationIsTriedAgainWithoutEndAndAtLeastTwiceAMinute() {
        var retry = ours.getRetry().initExecution();

        for (int attempt = 0; attempt < 100; attempt++) {
            assertThat(retry.nextDelay().orElseThrow())
                    .isLessThanOrEqualTo(Duration.ofSeconds(30).toMillis());
            assertThat(retry.isLastAttempt()).isFalse();
        }
    }
}
