/** The process: settings, HTTPS server, certificate, webhook configurations, leader, health and metrics. */
@NullMarked
package io.kubevirt.ferry.manager;

import org.jspecify.annotations.NullMarked;
