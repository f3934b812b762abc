package io.kubevirt.ferry.manager;

import java.nio.file.Path;
import java.util.Set;

/**
 * Who may call the webhooks, where that is restricted: who shows a certificate of a CA.
 *
 * @param ca file with the CA's certificates in PEM, followed when it changes
 * @param names common names of the certificates that are let in; empty lets in all of the CA
 */
public record WebhookClients(Path ca, Set<String> names) {}
