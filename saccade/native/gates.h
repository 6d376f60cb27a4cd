/* The curves of a recurrent cell, to a few units of the last place. */

#pragma once

#include "lanes.h"

INLINE lanes at_or_below(lanes x, float most) {
    const ints above = x > most; /* what is no number stays what it is */
    return (lanes)(((ints)x & ~above) | ((ints)((lanes){0} + most) & above));
}

INLINE lanes sigmoid(lanes x) { return 1.0f / (1.0f + exponential(at_or_below(-x, 87.0f))); }

/* tanh(x) = 1 - 2 / (exp(2 x) + 1); where that would cancel, an odd polynomial: Moshier's Cephes. */
INLINE lanes tangent(lanes x) {
    const ints sign = (ints)x & INT32_MIN;
    const lanes size = at_or_below((lanes)((ints)x ^ sign), 10.0f), z = size * size;
    const lanes far = 1.0f - 2.0f / (exponential(size + size) + 1.0f);
    lanes near = (lanes){0} - 5.70498872745e-3f;
    near = near * z + 2.06390887954e-2f;
    near = near * z - 5.37397155531e-2f;
    near = near * z + 1.33314422036e-1f;
    near = near * z - 3.33332819422e-1f;
    near = near * z * size + size;
    const ints is_far = size > 0.625f;
    return (lanes)((((ints)far & is_far) | ((ints)near & ~is_far)) ^ sign);
}
