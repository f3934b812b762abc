package io.kubevirt.ferry.standin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubevirt.ferry.standin.Writes.Seen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Makes the digests of the recordings of KubeVirt's own controllers, against which the stand-in is held.
 *
 * <p>A recording is a file of one JSON object a line: {@code event} of a watch, {@code kind}, {@code object}. Its digest
 * has a heading per object and lane, and below it the writes with a blank line between.
 */
final class RecordingDigests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FOLDER = "/standin/recordings/";

    /** The recording of which the start of the VM is kept, too: it is the same in all. */
    static final String WHOLE = "ordinary-ok";

    /** The lane of the API server's answers. */
    static final String ANSWERS = "answers";

    private static final Pattern RUN =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(rec|test)-[0-9a-z-]+(?=/)");

    private RecordingDigests() {}

    /** Arguments: the folder of the recordings, the folder for the digests, and the names of the recordings. */
    public static void main(String[] args) throws IOException {
        for (int i = 2; i < args.length; i++) {
            List<Seen> seen = read(Path.of(args[0], args[i] + ".jsonl"));
            Path digest = Files.createDirectories(Path.of(args[1])).resolve(args[i] + ".txt");
            SortedMap<String, List<String>> writes = writes(args[i], seen);
            writes.put(ANSWERS, answers(Path.of(args[0], args[i] + ".jsonl")));
            Files.writeString(digest, print(writes));
        }
    }

    /** The writes that count of a recording of this name, or of a run that is to be like it. */
    static SortedMap<String, List<String>> writes(String recording, List<Seen> seen) {
        if (recording.equals(WHOLE)) {
            return Writes.of(seen);
        }
        return recording.startsWith("volumes-") ? Writes.ofChange(seen) : Writes.ofMigration(seen);
    }

    /** What the API server said to whoever made the recording, one creation a line. */
    private static List<String> answers(Path recording) throws IOException {
        List<String> answers = new ArrayList<>();
        for (String line : Files.readAllLines(recording)) {
            JsonNode event = JSON.readTree(line);
            String did = event.path("object").path("did").asText();
            if (did.startsWith("create VMIM ")) {
                String name = did.substring("create VMIM ".length(), did.indexOf(':'));
                answers.add(answer(name, event.path("object").path("answer").asText()));
            }
        }
        return answers;
    }

    /** An answer without what differs from run to run. */
    static String answer(String name, String answer) {
        return name + " → " + RUN.matcher(answer).replaceAll("<run>").strip();
    }

    static List<Seen> read(Path recording) {
        try {
            List<Seen> seen = new ArrayList<>();
            for (String line : Files.readAllLines(recording)) {
                JsonNode event = JSON.readTree(line);
                if (!event.path("event").asText().equals("ACTION")
                        && !event.path("kind").asText().equals("PersistentVolumeClaim")) {
                    ObjectNode object = event.path("object").deepCopy();
                    object.put("kind", event.path("kind").asText());
                    seen.add(new Seen(event.path("event").asText(), object));
                }
            }
            return seen;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String print(SortedMap<String, List<String>> writes) {
        StringBuilder text = new StringBuilder();
        writes.forEach((lane, list) -> {
            text.append("== ").append(lane).append('\n');
            list.forEach(write -> text.append(write).append("\n--\n"));
        });
        return text.toString();
    }

    /** The digest of this name from the test resources. */
    static SortedMap<String, List<String>> of(String name) {
        SortedMap<String, List<String>> writes = new TreeMap<>();
        List<String> list = new ArrayList<>();
        StringBuilder write = new StringBuilder();
        for (String line : Fields.lines(FOLDER + name + ".txt")) {
            if (line.startsWith("== ")) {
                list = new ArrayList<>();
                writes.put(line.substring(3), list);
            } else if (line.equals("--")) {
                list.add(write.toString());
                write.setLength(0);
            } else {
                write.append(write.isEmpty() ? "" : "\n").append(line);
            }
        }
        return writes;
    }
}
