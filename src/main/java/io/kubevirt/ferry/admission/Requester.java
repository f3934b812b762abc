package io.kubevirt.ferry.admission;

import java.util.List;
import java.util.Map;

/** Who asks, as the API server authenticated them. */
public record Requester(String user, String uid, List<String> groups, Map<String, List<String>> extra) {}
