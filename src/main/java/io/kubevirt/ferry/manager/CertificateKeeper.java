package io.kubevirt.ferry.manager;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.kubevirt.ferry.controller.Refusal;
import io.kubevirt.ferry.manager.CertificateSecret.Content;
import io.kubevirt.ferry.manager.CertificateSecret.Seen;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says with which certificate to serve: never with one that the API server could not verify, and never with none as long
 * as the last one is good.
 *
 * <p>Where the Secret is ours it is mended, and renewed when two thirds of the certificate's life are over; whoever of the
 * replicas comes first does it, and the others follow. Where it is cert-manager's it is only read.
 */
final class CertificateKeeper {
    private static final Logger log = LoggerFactory.getLogger(CertificateKeeper.class);

    static final Duration LIFETIME = Duration.ofDays(365);

    private final CertificateSecret secret;
    private final boolean certManager;
    private final Clock clock;
    private Optional<ServingCertificate> current = Optional.empty();
    private String lastSaid = "";

    /**
     * @param certManager whether cert-manager writes the Secret, and nobody else
     */
    CertificateKeeper(CertificateSecret secret, boolean certManager, Clock clock) {
        this.secret = secret;
        this.certManager = certManager;
        this.clock = clock;
    }

    /** There is nothing yet that could be served. */
    static final class NoCertificateException extends KubernetesClientException {
        private static final long serialVersionUID = 1L;

        NoCertificateException(String why) {
            super(why);
        }
    }

    /**
     * The certificate to begin with.
     *
     * @throws KubernetesClientException if there is none yet; the message says why and what to do
     */
    synchronized ServingCertificate first() {
        Instant now = clock.instant();
        Seen seen = secret.look(now);
        Optional<ServingCertificate> found = switch (seen.content()) {
            case Content.Good(ServingCertificate certificate)
            when certManager || !certificate.isDue(now) -> Optional.of(certificate);
            case Content.Good(ServingCertificate certificate) -> renew(seen, "two thirds of its life are over");
            case Content.Bad(String why) -> renew(seen, why);
            case Content.ForOthers(String why) -> renew(seen, why);
        };
        current = found;
        return found.orElseThrow(
                () -> new NoCertificateException(secret + " was written by another replica at the same time"));
    }

    /**
     * Looks whether another certificate is to be served from now on.
     *
     * @return that one; empty if the one that is served goes on
     */
    synchronized Optional<ServingCertificate> look() {
        ServingCertificate served = current.orElseThrow();
        Instant now = clock.instant();
        boolean due = served.isDue(now);
        try {
            Seen seen = secret.look(now);
            Optional<ServingCertificate> next = switch (seen.content()) {
                case Content.Good(ServingCertificate found)
                when !found.equals(served) && (due || !found.isDue(now)) -> Optional.of(found);
                case Content.Good(ServingCertificate found) ->
                    due && !certManager ? renew(seen, "two thirds of its life are over") : Optional.empty();
                case Content.Bad(String why) -> due ? renew(seen, why) : restore(seen, why, served);
                case Content.ForOthers(String why) -> due ? renew(seen, why) : Optional.empty();
            };
            next.ifPresent(certificate -> current = next);
            if (next.isEmpty() && seen.content() instanceof Content.Good) {
                lastSaid = "";
            }
            return next;
        } catch (KubernetesClientException e) {
            say(Refusal.words(e));
            return Optional.empty();
        }
    }

    /** Why the certificate that is served can no longer be verified; empty if it can. */
    synchronized Optional<String> fault() {
        return current.flatMap(served -> CertificateChecks.fault(served, clock.instant()))
                .map(why -> secret + ": " + why);
    }

    private Optional<ServingCertificate> renew(Seen seen, String why) {
        if (certManager) {
            throw waitingForCertManager(why);
        }
        ServingCertificate issued = secret.issue(clock.instant());
        if (!secret.write(seen.secret(), issued)) {
            return Optional.empty();
        }
        log.info("{}: {}; made a new certificate", secret, why);
        return Optional.of(issued);
    }

    /** Puts what is served back, so that the other replicas and the next start have it. */
    private Optional<ServingCertificate> restore(Seen seen, String why, ServingCertificate served) {
        if (certManager) {
            throw waitingForCertManager(why);
        }
        if (secret.write(seen.secret(), served)) {
            log.warn("{}: {}; put back the certificate that is served", secret, why);
        }
        return Optional.empty();
    }

    private NoCertificateException waitingForCertManager(String why) {
        return new NoCertificateException(secret + ": " + why + "; it is cert-manager's to write: see `kubectl -n "
                + secret.namespace() + " describe certificate`");
    }

    /** Once: this is looked at again and again. */
    private void say(String what) {
        if (!what.equals(lastSaid)) {
            log.warn("{}; goes on with the certificate that is served", what);
            lastSaid = what;
        }
    }
}
