FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src/main src/main
RUN mvn -B -ntp -q -Dmaven.test.skip -Dspotless.check.skip -Djacoco.skip package

FROM eclipse-temurin:25-jre
COPY --from=build /build/target/lib /opt/kubevirt-ferry/lib
COPY --from=build /build/target/kubevirt-ferry.jar /opt/kubevirt-ferry/
# A number, so that the kubelet can tell that it is not root.
USER 65532:65532
# Nothing is written but to /tmp. The heap leaves room for what the JVM and TLS need beside it. The rest is for a small
# footprint and a quick start, as docs/performance.md tells: one compiler, memory given back, small network buffers.
ENTRYPOINT ["java", "-XX:+UseSerialGC", "-XX:MaxRAMPercentage=50", "-XX:TieredStopAtLevel=1", "-XX:TrimNativeHeapInterval=5000", "-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError", "-Dio.netty.allocator.numDirectArenas=1", "-Dio.netty.allocator.numHeapArenas=1", "-Dio.netty.allocator.maxOrder=7", "--sun-misc-unsafe-memory-access=allow", "-jar", "/opt/kubevirt-ferry/kubevirt-ferry.jar"]
CMD ["manager"]
