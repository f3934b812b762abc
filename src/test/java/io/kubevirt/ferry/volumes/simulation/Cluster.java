package io.kubevirt.ferry.volumes.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is stored in the API server, and what is true of the machines. One namespace with one VM, whose VMI has its name.
 * Whoever changes an object calls {@link #touch}.
 */
final class Cluster {
    /** A guest that runs, and the pod it really runs in. */
    static final class Guest {
        final String vmi;
        String pod;
        /** Handed over, and nobody has reported it yet. */
        boolean unreported;

        Guest(String vmi, String pod) {
            this.vmi = vmi;
            this.pod = pod;
        }
    }

    long now;

    @Nullable Vm vm;

    @Nullable Vmi vmi;

    @Nullable Guest guest;

    final Map<String, Request> requests = new LinkedHashMap<>();
    final Map<String, Vmim> vmims = new LinkedHashMap<>();
    final Map<String, Pod> pods = new LinkedHashMap<>();
    final Map<String, Claim> claims = new LinkedHashMap<>();
    final Map<String, DataVolume> dataVolumes = new LinkedHashMap<>();
    /** CDI's DataSources, each with the claim that it points at. */
    final Map<String, String> dataSources = new LinkedHashMap<>();

    final Storage storage = new Storage(this);
    final List<Violation> violations = new ArrayList<>();
    /** What of KubeVirt's less obvious behaviour came up. */
    final Set<Subtlety> subtleties = EnumSet.noneOf(Subtlety.class);

    /** KubeVirt's {@code workloadUpdateMethods}. */
    boolean liveMigrate = true;

    boolean evict;
    /** KubeVirt's reason to refuse any volume migration of this VM, or null. */
    @Nullable String refuses;

    /** Whether a write of KubeVirt meets a change of something else in the same field. */
    BooleanSupplier spuriousConflict = () -> false;

    /** Pods on machines that nobody hears of any more: they never end by themselves. */
    final Set<String> lostPods = new HashSet<>();

    /** Before this time virt-api refuses every write of a VM or VMI and every new VMIM. */
    long refusingUntil;

    boolean namespaceDeleted;
    /** The VM is changed by its user alone. */
    boolean manual;
    /** A person has changed the volumes under way, or pulled a safety catch: what follows from it is theirs. */
    boolean meddled;
    /** A VMI was taken away under its migrations, whose traces KubeVirt then leaves on the next one. */
    boolean instanceForced;

    /** The webhook that judges target pods of fenced VMIs. */
    Fence fence = pod -> Fence.Answer.ADMITTED;

    private long versions;
    private int names;

    /** Admission of pods that carry labels of their VMI. */
    interface Fence {
        enum Answer {
            ADMITTED,
            REFUSED
        }

        Answer admit(Pod pod);
    }

    /** Counts the writes so far: it has changed when anything has. */
    long versions() {
        return versions;
    }

    long nextVersion() {
        return ++versions;
    }

    String fresh(String prefix) {
        return prefix + "-" + ++names;
    }

    void touch(Vm changed) {
        changed.version = nextVersion();
    }

    /** A change of the spec. */
    void touchSpec(Vm changed) {
        changed.generation++;
        touch(changed);
        changed.specified = changed.version;
    }

    void touch(Vmi changed) {
        changed.version = nextVersion();
        changed.born = changed.born == 0 ? changed.version : changed.born;
        changed.named = changed.named == 0 ? changed.version : changed.named;
        if (changed.deleting && changed.finalizers.isEmpty() && changed == vmi) {
            vmi = null;
        }
    }

    void touch(Vmim changed) {
        changed.version = nextVersion();
        if (changed.deleting && !changed.finalizer) {
            vmims.remove(changed.name);
        }
    }

    void touch(Request changed) {
        changed.version = nextVersion();
        changed.born = changed.born == 0 ? changed.version : changed.born;
        if (changed.deleting && changed.finalizers.isEmpty()) {
            requests.remove(changed.name);
        }
    }

    void touch(Pod changed) {
        changed.version = nextVersion();
        changed.born = changed.born == 0 ? changed.version : changed.born;
    }

    void touch(Claim changed) {
        changed.version = nextVersion();
    }

    boolean spuriousConflict() {
        return spuriousConflict.getAsBoolean();
    }

    void comesUp(Subtlety subtlety) {
        subtleties.add(subtlety);
    }

    boolean virtApiRefuses() {
        return now < refusingUntil;
    }

    void violated(Law law, String how) {
        violations.add(new Violation(law, how));
    }

    Claim addClaim(String name) {
        var claim = new Claim(name, fresh("pvc"));
        touch(claim);
        claims.put(name, claim);
        return claim;
    }

    void deleteVmi(Vmi live) {
        if (!live.deleting) {
            live.deleting = true;
            touch(live);
        }
    }

    void deleteVmim(Vmim live) {
        if (!live.deleting) {
            live.deleting = true;
            touch(live);
        }
    }

    void deletePod(Pod live) {
        if (!live.deleting) {
            live.deleting = true;
            touch(live);
        }
        for (var pod : pods.values()) {
            if (live.uid.equals(pod.owner) && !pod.deleting) {
                pod.deleting = true;
                touch(pod);
            }
        }
    }

    void deleteClaim(Claim live) {
        live.deleting = true;
        touch(live);
    }

    void deleteDataVolume(DataVolume live) {
        live.deleting = true;
        live.version = nextVersion();
    }

    /** The claims under a launcher, those of its attachment pods included. */
    Map<String, String> mounted(Pod launcher) {
        var mounted = new LinkedHashMap<>(launcher.claims);
        for (var pod : pods.values()) {
            if (launcher.uid.equals(pod.owner)) {
                mounted.putAll(pod.claims);
            }
        }
        return mounted;
    }

    @Nullable Pod guestPod() {
        return guest == null ? null : pods.get(guest.pod);
    }

    boolean unfinishedVmim() {
        for (var vmim : vmims.values()) {
            if (vmim.unfinished()) {
                return true;
            }
        }
        return false;
    }

    /** What virt-api says to a new VMIM: one unfinished VMIM for a VMI that is there and not final. */
    boolean mayMigrate() {
        return !namespaceDeleted && !virtApiRefuses() && vmi != null && !vmi.phase.last() && !unfinishedVmim();
    }

    Vmim addVmim(String name, Map<String, String> annotations, Map<String, String> labels) {
        var vmim = new Vmim(name, fresh("vmim"), "vm");
        vmim.annotations.putAll(annotations);
        vmim.labels.putAll(labels);
        vmim.created = now;
        vmim.instance = vmi == null ? null : vmi.uid;
        touch(vmim);
        vmims.put(name, vmim);
        return vmim;
    }
}
