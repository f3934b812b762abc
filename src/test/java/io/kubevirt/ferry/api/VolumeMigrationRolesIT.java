package io.kubevirt.ferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.LocalSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.testbed.ControlPlane;
import io.kubevirt.ferry.testbed.ControlPlaneExtension;
import io.kubevirt.ferry.testbed.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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
        admin.resource(binding(role, user, namespace)).create();
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

    /** What is put back on a VM stands in the status: nobody makes one up. */
    @Test
    void aStatusThatAnEditorWritesIsDropped(ControlPlane controlPlane, TestNamespace namespace) {
        var admin = controlPlane.admin();
        admin.resource(Crds.volumeMigration()).serverSideApply();
        var name = "editor-of-" + namespace;
        admin.resource(binding("edit", name, namespace)).create();
        var editor = controlPlane.as(name);
        var forged = new VolumeMigration();
        forged.setMetadata(new ObjectMetaBuilder()
                .withName("forged")
                .withNamespace(namespace.name())
                .build());
        forged.setSpec(
                new VolumeMigrationSpec(List.of(new MigratedVolume("a", "b", null)), null, null, null, null, null));
        forged.setStatus(Samples.status());

        var created =
                await().ignoreExceptions().until(() -> editor.resource(forged).create(), made -> made != null);
        assertThat(created.status()).isEqualTo(VolumeMigrationStatus.EMPTY);
        created.setStatus(Samples.status());
        assertThat(editor.resource(created).update().status()).isEqualTo(VolumeMigrationStatus.EMPTY);
        assertThatThrownBy(() -> editor.resource(created).updateStatus())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("cannot update resource \"volumemigrations/status\"");
    }

    private static RoleBinding binding(String role, String user, TestNamespace namespace) {
        return new RoleBindingBuilder()
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
                .build();
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
