package io.kubevirt.ferry.controller;

import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.kubevirt.ferry.admission.DirectedMigration;
import io.kubevirt.ferry.admission.Permissions;
import io.kubevirt.ferry.admission.Requester;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the API server by SubjectAccessReview. */
public final class ReviewedPermissions implements Permissions {
    private static final Logger log = LoggerFactory.getLogger(ReviewedPermissions.class);

    private final KubernetesClient client;
    private final Deadline deadline;

    /**
     * @param deadline of a review
     */
    public ReviewedPermissions(KubernetesClient client, Deadline deadline) {
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Answer mayDirect(Requester requester, String namespace) {
        SubjectAccessReview question = new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser(requester.user())
                .withUid(requester.uid())
                .withGroups(requester.groups())
                .withExtra(requester.extra())
                .withNewResourceAttributes()
                .withNamespace(namespace)
                .withVerb("create")
                .withGroup("kubevirt.io")
                .withResource(DirectedMigration.RESOURCE)
                .withSubresource(DirectedMigration.SUBRESOURCE)
                .endResourceAttributes()
                .endSpec()
                .build();
        return switch (deadline.await(() -> client.resource(question).create())) {
            case Deadline.Outcome.Answer<SubjectAccessReview>(var review) ->
                review.filter(each -> Boolean.TRUE.equals(each.getStatus().getAllowed()))
                                .isPresent()
                        ? Answer.YES
                        : Answer.NO;
            case Deadline.Outcome.NoAnswer<SubjectAccessReview>(String why) -> {
                log.warn("cannot ask whether {} may direct migrations in {}: {}", requester.user(), namespace, why);
                yield Answer.UNKNOWN;
            }
        };
    }
}
