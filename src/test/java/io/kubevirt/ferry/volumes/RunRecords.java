package io.kubevirt.ferry.volumes;

import io.kubevirt.ferry.api.Before;
import io.kubevirt.ferry.api.Original;

/** Records of runs, changed in one thing. */
final class RunRecords {
    private RunRecords() {}

    static Original withStrategy(Original run, String strategy) {
        var before = run.before();
        return new Original(
                run.virtualMachineUid(),
                run.virtualMachineInstanceUid(),
                run.run(),
                new Before(before.volumes(), before.dataVolumeTemplates(), before.claims(), strategy),
                run.progress(),
                run.attempts());
    }
}
