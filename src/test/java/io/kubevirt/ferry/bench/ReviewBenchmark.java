package io.kubevirt.ferry.bench;

import io.kubevirt.ferry.admission.AdmissionEndpoint;
import io.kubevirt.ferry.admission.Migrations;
import io.kubevirt.ferry.admission.TargetPodAdmission;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The review of a target pod: the bytes that the API server sends in, those of the answer out. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReviewBenchmark {
    /** Whether the pod's migration has a term. */
    @Param({"false", "true"})
    public boolean directed;

    private byte[] review = {};
    private AdmissionEndpoint endpoint = endpoint(Optional.empty());

    public ReviewBenchmark() {}

    @Setup
    public void setUp() {
        String pod = TargetPods.of("shop", "move-1", "3b0f6f9c-52cb-4f0e-9d2c-5a8f5f6f2f11");
        review = ("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
                        + "\"uid\":\"0df28fbd-5f5f-11e8-bc74-36e6bb280816\","
                        + "\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"
                        + "\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},"
                        + "\"namespace\":\"shop\",\"operation\":\"CREATE\","
                        + "\"userInfo\":{\"username\":\"system:serviceaccount:kubevirt:kubevirt-controller\"},"
                        + "\"object\":" + pod + ",\"oldObject\":null,\"dryRun\":false,"
                        + "\"options\":{\"kind\":\"CreateOptions\",\"apiVersion\":\"meta.k8s.io/v1\"}}}")
                .getBytes(StandardCharsets.UTF_8);
        endpoint = endpoint(directed ? Optional.of(TargetPods.JSON_TERM) : Optional.empty());
    }

    private static AdmissionEndpoint endpoint(Optional<String> term) {
        return new AdmissionEndpoint(
                new TargetPodAdmission((namespace, name, uid) -> new Migrations.Found.Migration(term)));
    }

    @Benchmark
    public AdmissionEndpoint.Answer answer() {
        return endpoint.answer(review);
    }
}
