FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src/main src/main
RUN mvn -B -ntp -q -Dmaven.test.skip -Dspotless.check.skip -Djacoco.skip package
COPY src/build src/build
RUN javac -d target/training src/build/Training.java

FROM eclipse-temurin:25-jre
COPY --from=build /build/target/lib /opt/kubevirt-ferry/lib
COPY --from=build /build/target/kubevirt-ferry.jar /opt/kubevirt-ferry/
COPY src/build/jvm.options /opt/kubevirt-ferry/
# Here and not before, since the cache is good for this JVM and these files alone, down to their times.
RUN --mount=type=bind,from=build,source=/build/target/training,target=/training \
  java -cp /training Training /opt/kubevirt-ferry/kubevirt-ferry.aot \
  java @/opt/kubevirt-ferry/jvm.options -jar /opt/kubevirt-ferry/kubevirt-ferry.jar
# A number, so that the kubelet can tell that it is not root.
USER 65532:65532
# Nothing is written but to /tmp.
ENTRYPOINT ["java", "@/opt/kubevirt-ferry/jvm.options", "-XX:AOTCache=/opt/kubevirt-ferry/kubevirt-ferry.aot", "-jar", "/opt/kubevirt-ferry/kubevirt-ferry.jar"]
CMD ["manager"]
