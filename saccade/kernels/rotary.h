/* Rotary positions: positions/rotary.py, of one place. */

#pragma once

#include "simd.h"

/* Rotate `n` heads of width `d` that stand side by side. `turn [d]`: cosines, then sines. */
static inline void turn_heads(float *x, const float *turn, int64_t n, int64_t d) {
    const int64_t half = d / 2;
    for (int64_t h = 0; h < n; h++) {
        float *one = x + h * d, *other = one + half;
        for (int64_t i = 0; i < half; i++) {
            const float a = one[i], b = other[i];
            one[i] = a * turn[i] - b * turn[half + i];
            other[i] = b * turn[i] + a * turn[half + i];
        }
    }
}
