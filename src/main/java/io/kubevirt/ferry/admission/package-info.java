/** AdmissionReview in, verdict out; one class for each kind that is admitted. What must be looked up is behind an interface. */
@NullMarked
package io.kubevirt.ferry.admission;

import org.jspecify.annotations.NullMarked;
