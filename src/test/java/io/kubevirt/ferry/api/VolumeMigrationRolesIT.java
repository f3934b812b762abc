package io.kubevirt.ferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.authorization.v1.LocalSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may do what with VolumeMigrations, with the roles that are shipped. */
@ExtendWith(ControlPlaneExtension.class)
class VolumeMigrationRolesIT {
    private static final List<String> READ = List.of("get", "list", "watch");
    private static final List<String> WRITE = List.of("create", "update", "patch", "delete", "deletecollection");

    @BeforeAll
    static void install(ControlPlane controlPlane) throws IOException {
        controlPlane
                .admin()
                .load(Files.newInputStream(Path.of("deploy/rbac-volumemigration.yaml")))
                .serverSideApply();
    }

    static Stream<Arguments> roles() {
        return Stream.of(arguments("admin", true), arguments("edit", true), arguments("view", false));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("roles")
    void whoeverHasTheRole(String role, boolean writes, ControlPlane controlPlane, TestNamespace namespace) {
        var admin = controlPlane.admin();
        var user = role + "-of-" + namespace;
        admin.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName(role)
                        .withNamespace(namespace.name())
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                        .addNewSubject()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("User")
                        .withName(user)
                        .endSubject()
                        .build())
                .create();
        await().untilAsserted(() -> {
            for (String verb : READ) {
                assertThat(may(admin, namespace, user, verb, null)).as(verb).isTrue();
            }
            for (String verb : WRITE) {
                assertThat(may(admin, namespace, user, verb, null)).as(verb).isEqualTo(writes);
            }
        });
        for (String verb : List.of("update", "patch")) {
            assertThat(may(admin, namespace, user, verb, "status"))
                    .as("%s the status", verb)
                    .isFalse();
        }
    }

    private static boolean may(
            KubernetesClient admin, TestNamespace namespace, String user, String verb, String subresource) {
        return admin.authorization()
                .v1()
                .localSubjectAccessReview()
                .inNamespace(namespace.name())
                .create(new LocalSubjectAccessReviewBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace.name())
                        .endMetadata()
                        .withNewSpec()
                        .withUser(user)
                        .withNewResourceAttributes()
                        .withNamespace(namespace.name())
                        .withGroup(VolumeMigration.GROUP)
                        .withResource("volumemigrations")
                        .withSubresource(subresource)
                        .withVerb(verb)
                        .endResourceAttributes()
                        .endSpec()
                        .build())
                .getStatus()
                .getAllowed();
    }
}
