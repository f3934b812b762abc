package io.kubevirt.ferry.testbed;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The API server's audit log: each request that it answered, with who asked. */
public final class AuditLog {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /**
     * One request.
     *
     * @param resource as in RBAC, with the subresource behind a slash; empty for a path that is no resource
     */
    public record Request(String user, String verb, String resource, String namespace, String name, int status) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Line(
            User user,
            String verb,
            @Nullable ObjectReference objectRef,
            @Nullable Status responseStatus) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record User(String username) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record ObjectReference(
            @Nullable String resource,
            @Nullable String subresource,
            @Nullable String namespace,
            @Nullable String name) {}

    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Status(int code) {}

    /** All requests so far, in the order in which they were answered; a watch shows when it ends. */
    public List<Request> requests() {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.endsWith("}"))
                    .map(AuditLog::request)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The requests of one user. */
    public List<Request> of(String user) {
        return requests().stream()
                .filter(request -> request.user().equals(user))
                .toList();
    }

    private static Request request(String line) {
        try {
            Line read = JSON.readValue(line, Line.class);
            ObjectReference target =
                    read.objectRef == null ? new ObjectReference(null, null, null, null) : read.objectRef;
            String resource = orEmpty(target.resource) + (target.subresource == null ? "" : "/" + target.subresource);
            return new Request(
                    read.user.username,
                    read.verb,
                    resource,
                    orEmpty(target.namespace),
                    orEmpty(target.name),
                    read.responseStatus == null ? 0 : read.responseStatus.code);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
