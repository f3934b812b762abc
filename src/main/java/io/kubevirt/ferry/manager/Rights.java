package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceRule;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.TypedField;
import io.kubevirt.ferry.api.VolumeMigration;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this manager may do what its promise takes. A watch goes on for minutes when the right to it is gone, so that only
 * asking tells; and a replica without its rights is not ready: it is as one that is down, on which ordinary migrations do
 * not depend.
 */
final class Rights {
    private static final Logger log = LoggerFactory.getLogger(Rights.class);
    private static final String KUBEVIRT = "kubevirt.io";
    private static final String ALL = "*";

    /**
     * Verbs on a kind of object.
     *
     * @param resource as in RBAC, with the subresource behind a slash
     * @param name of the one object that it is about; empty for all
     * @param inOwnNamespace whether it is about the manager's namespace alone
     */
    private record Right(String group, String resource, String name, boolean inOwnNamespace, List<String> verbs) {
        static Right everywhere(String group, String resource, String... verbs) {
            return new Right(group, resource, "", false, List.of(verbs));
        }

        static Right toThe(String name, String group, String resource, String... verbs) {
            return new Right(group, resource, name, false, List.of(verbs));
        }

        static Right here(String name, String group, String resource, String... verbs) {
            return new Right(group, resource, name, true, List.of(verbs));
        }

        Right with(List<String> some) {
            return new Right(group, resource, name, inOwnNamespace, some);
        }

        private boolean isIn(ResourceRule rule, String verb) {
            return has(rule.getApiGroups(), group)
                    && has(rule.getResources(), resource)
                    && has(rule.getVerbs(), verb)
                    && (rule.getResourceNames().isEmpty()
                            || rule.getResourceNames().contains(name));
        }

        private static boolean has(List<String> list, String wanted) {
            return list.contains(wanted) || list.contains(ALL);
        }

        @Override
        public String toString() {
            return String.join(", ", verbs) + " " + resource + (group.isEmpty() ? "" : " in " + group);
        }
    }

    /** To ask which rights there are: everybody has it, where nobody has taken it away. */
    private static final Right ASK = Right.everywhere("authorization.k8s.io", "selfsubjectrulesreviews", "create");

    /** What else the roles have is for what can be left undone: an event, the typed field. */
    private static final List<Right> NEEDED = List.of(
            Right.everywhere(KUBEVIRT, DirectedMigration.RESOURCE, "get", "list", "watch"),
            Right.everywhere(KUBEVIRT, DirectedMigration.RESOURCE + "/status", "patch"),
            Right.everywhere(KUBEVIRT, "virtualmachineinstances", "get"),
            Right.everywhere(VolumeMigration.GROUP, "volumemigrations", "list"),
            Right.everywhere("", "nodes", "list", "watch"),
            Right.everywhere("", "pods", "get", "list", "watch", "patch", "delete"),
            Right.toThe(TypedField.DEFINITION, "apiextensions.k8s.io", "customresourcedefinitions", "list", "watch"),
            Right.toThe(
                    WebhookConfiguration.NAME,
                    "admissionregistration.k8s.io",
                    "mutatingwebhookconfigurations",
                    "list",
                    "watch"),
            Right.here("", "coordination.k8s.io", "leases", "create"),
            Right.here(Election.LEASE, "coordination.k8s.io", "leases", "get", "update", "patch"));

    private final KubernetesClient client;
    private final String namespace;
    private final Readiness readiness;
    private Optional<String> before = Optional.empty();

    /** @param namespace the manager's own */
    Rights(KubernetesClient client, String namespace, Readiness readiness) {
        this.client = client;
        this.namespace = namespace;
        this.readiness = readiness;
    }

    /**
     * Asks; readiness is told, and the log where it has changed.
     *
     * @return what is missing, in words; empty if nothing is
     * @throws KubernetesClientException if the API server does not answer
     */
    synchronized Optional<String> look() {
        List<Right> missing = missing();
        Optional<String> now = missing.isEmpty() ? Optional.empty() : Optional.of(words(missing));
        if (!now.equals(before)) {
            now.ifPresentOrElse(log::error, () -> log.info("it has the rights again that it needs"));
            before = now;
        }
        now.ifPresentOrElse(
                why -> readiness.waiting(Readiness.Part.RIGHTS, why), () -> readiness.ok(Readiness.Part.RIGHTS));
        return now;
    }

    /** Whether something was missing when it was asked last. */
    synchronized boolean areLacking() {
        return before.isPresent();
    }

    private static String words(List<Right> missing) {
        return missing.stream().map(Right::toString).collect(Collectors.joining("; ", "it may not ", ""))
                + ": `kubectl apply -k deploy` gives it the rights that it needs";
    }

    /** One question for all of them; what the answer leaves out is asked for itself, since not every authorizer can list. */
    private List<Right> missing() {
        Optional<SelfSubjectRulesReview> review = unlessForbidden(new SelfSubjectRulesReviewBuilder()
                .withNewSpec()
                .withNamespace(namespace)
                .endSpec()
                .build());
        if (review.isEmpty()) {
            return List.of(ASK);
        }
        List<ResourceRule> rules = review.get().getStatus().getResourceRules();
        return NEEDED.stream()
                .flatMap(right -> without(
                        right,
                        verb -> rules.stream().anyMatch(rule -> right.isIn(rule, verb)) || isAllowed(right, verb)))
                .toList();
    }

    private static Stream<Right> without(Right right, Predicate<String> has) {
        List<String> verbs = right.verbs().stream().filter(Predicate.not(has)).toList();
        return verbs.isEmpty() ? Stream.empty() : Stream.of(right.with(verbs));
    }

    private boolean isAllowed(Right right, String verb) {
        String[] resource = right.resource().split("/", 2);
        SelfSubjectAccessReview question = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withVerb(verb)
                .withGroup(right.group())
                .withResource(resource[0])
                .withSubresource(resource.length > 1 ? resource[1] : null)
                .withName(right.name().isEmpty() ? null : right.name())
                .withNamespace(right.inOwnNamespace() ? namespace : null)
                .endResourceAttributes()
                .endSpec()
                .build();
        return unlessForbidden(question)
                .map(SelfSubjectAccessReview::getStatus)
                .filter(status -> Boolean.TRUE.equals(status.getAllowed()))
                .isPresent();
    }

    /** The answer to a question about our rights; empty if we may not even ask. */
    private <T extends HasMetadata> Optional<T> unlessForbidden(T question) {
        try {
            return Optional.of(client.resource(question).create());
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
