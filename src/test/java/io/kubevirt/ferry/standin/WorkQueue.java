package io.kubevirt.ferry.standin;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of objects to look at, each at most once, worked off by one thread.
 *
 * <p>A key whose handler fails comes again after 5 ms, then 10, 20, 40 and so on up to 5 min, as controllers of
 * Kubernetes do; an event brings it back at once.
 */
final class WorkQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** Shorter than any pause that is taken on purpose. */
    private static final Duration SOON = Duration.ofMillis(500);

    /** Looks at the object with this key and moves it on. */
    interface Handler {
        void handle(String key);
    }

    private final String name;
    private final Handler handler;
    private final Map<String, Long> due = new LinkedHashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final Thread worker;
    private String working = "";
    private boolean closed;

    WorkQueue(String name, Handler handler) {
        this.name = name;
        this.handler = handler;
        this.worker = Thread.ofPlatform().name("standin-" + name).daemon().unstarted(this::work);
    }

    void start() {
        worker.start();
    }

    void add(String key) {
        addAfter(key, Duration.ZERO);
    }

    synchronized void addAfter(String key, Duration pause) {
        long at = System.nanoTime() + pause.toNanos();
        due.merge(key, at, (before, now) -> before - now <= 0 ? before : now);
        notifyAll();
    }

    /** Whether it has nothing to do, now or soon, for the objects of a namespace. */
    synchronized boolean rests(String namespace) {
        long soon = System.nanoTime() + SOON.toNanos();
        return !isOf(namespace, working)
                && due.entrySet().stream()
                        .noneMatch(each -> isOf(namespace, each.getKey()) && each.getValue() - soon <= 0);
    }

    private static boolean isOf(String namespace, String key) {
        return key.startsWith(namespace + "/");
    }

    private void work() {
        try {
            while (true) {
                String key = next();
                try {
                    handler.handle(key);
                    failures.remove(key);
                } catch (RuntimeException failure) {
                    again(key, failure);
                } finally {
                    done();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{} ends", name);
        }
    }

    private void again(String key, RuntimeException failure) {
        int count = failures.merge(key, 1, Integer::sum);
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(count - 1, 20));
        if (failure instanceof KubernetesClientException || failure instanceof VolumeUpdates.Unfit) {
            LOG.debug("{}: {} again in {}: {}", name, key, pause, failure.getMessage());
        } else {
            LOG.error("{}: {} again in {}", name, key, pause, failure);
        }
        addAfter(key, pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    }

    private synchronized void done() {
        working = "";
    }

    private synchronized String next() throws InterruptedException {
        while (true) {
            if (closed) {
                throw new InterruptedException();
            }
            long now = System.nanoTime();
            long soonest = Long.MAX_VALUE;
            for (Iterator<Map.Entry<String, Long>> entries = due.entrySet().iterator(); entries.hasNext(); ) {
                Map.Entry<String, Long> entry = entries.next();
                long left = entry.getValue() - now;
                if (left <= 0) {
                    entries.remove();
                    working = entry.getKey();
                    return working;
                }
                soonest = Math.min(soonest, left);
            }
            if (soonest == Long.MAX_VALUE) {
                wait();
            } else {
                wait(soonest / 1_000_000, (int) (soonest % 1_000_000));
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        worker.interrupt();
    }
}
