package io.kubevirt.ferry.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.util.concurrent.Executor;

/** Which package may know what. */
@AnalyzeClasses(packages = "io.kubevirt.ferry", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "io.kubevirt.ferry.";

    private static final DescribedPredicate<JavaClass> LANGUAGE =
            resideInAnyPackage("java..", "org.jspecify..").as("the JDK");
    private static final DescribedPredicate<JavaClass> MODELS = resideInAnyPackage(
                    "io.fabric8.kubernetes.api.model..", "io.fabric8.kubernetes.model..", "io.fabric8.generator..")
            .or(assignableTo(CustomResource.class))
            .as("Kubernetes model classes");
    private static final DescribedPredicate<JavaClass> PARSERS = resideInAnyPackage(
                    "com.fasterxml.jackson..", "org.snakeyaml.engine..")
            .as("parsers");
    private static final DescribedPredicate<JavaClass> OUTSIDE = assignableTo(Thread.class)
            .or(assignableTo(Executor.class))
            .or(assignableTo(Clock.class))
            .or(assignableTo(KubernetesClient.class))
            .or(resideInAnyPackage("java.net..", "java.nio.file..", "java.util.concurrent..", "org.slf4j.."))
            .as("clients, clocks, threads, files and loggers");

    @ArchTest
    static final ArchRule placementKnowsModelsAndParsersAlone = classes()
            .that()
            .resideInAPackage(ROOT + "placement..")
            .should()
            .onlyDependOnClassesThat(LANGUAGE.or(MODELS).or(PARSERS).or(resideInAPackage(ROOT + "placement..")));

    @ArchTest
    static final ArchRule volumesKnowsApiKubevirtPlacementAndPatchAlone = classes()
            .that()
            .resideInAPackage(ROOT + "volumes..")
            .should()
            .onlyDependOnClassesThat(LANGUAGE.or(MODELS)
                    .or(PARSERS)
                    .or(resideInAnyPackage(
                            ROOT + "volumes..",
                            ROOT + "api..",
                            ROOT + "kubevirt..",
                            ROOT + "placement..",
                            ROOT + "patch..")));

    @ArchTest
    static final ArchRule patchKnowsTheTreesOfJsonAlone = classes()
            .that()
            .resideInAPackage(ROOT + "patch..")
            .should()
            .onlyDependOnClassesThat(LANGUAGE.or(PARSERS).or(resideInAPackage(ROOT + "patch..")));

    @ArchTest
    static final ArchRule thePureCoresSeeNoClientClockThreadOrLogger = noClasses()
            .that()
            .resideInAnyPackage(ROOT + "placement..", ROOT + "patch..", ROOT + "volumes..")
            .should()
            .dependOnClassesThat(OUTSIDE);

    @ArchTest
    static final ArchRule apiAndReadModelsKnowNothingOfUs = noClasses()
            .that()
            .resideInAnyPackage(ROOT + "api..", ROOT + "kubevirt..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    ROOT + "placement..",
                    ROOT + "patch..",
                    ROOT + "volumes..",
                    ROOT + "admission..",
                    ROOT + "controller..",
                    ROOT + "manager..",
                    ROOT + "cli.."));

    @ArchTest
    static final ArchRule admissionLooksThingsUpByInterface = noClasses()
            .that()
            .resideInAPackage(ROOT + "admission..")
            .should()
            .dependOnClassesThat(assignableTo(KubernetesClient.class)
                    .or(resideInAnyPackage(ROOT + "controller..", ROOT + "manager..", ROOT + "cli..", "io.vertx..")));

    @ArchTest
    static final ArchRule controllersKnowNeitherTheProcessNorTheCommandLine = noClasses()
            .that()
            .resideInAPackage(ROOT + "controller..")
            .should()
            .dependOnClassesThat(resideInAnyPackage(ROOT + "manager..", ROOT + "cli..", "io.vertx..", "picocli.."));

    /** Trimmed models lose what they do not name: written back, they would delete it. */
    @ArchTest
    static final ArchRule readModelsAreNeverWritten = noClasses()
            .should()
            .callMethodWhere(
                    target(owner(resideInAPackage("io.fabric8.kubernetes.client.dsl..")))
                            .and(
                                    target(
                                            nameMatching(
                                                    "edit|editStatus|replace|replaceStatus|update|updateStatus|createOrReplace|serverSideApply"))))
            .andShould()
            .dependOnClassesThat(resideInAPackage(ROOT + "kubevirt.."));

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching(ROOT + "(*)..").should().beFreeOfCycles();
}
