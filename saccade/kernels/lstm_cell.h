/* The curves of a recurrent cell, to a few units of the last place, and a row of an LSTM. */

#pragma once

#include "simd.h"

/* What is no number stays what it is. */
INLINE lanes at_or_below(lanes x, float most) { return lower((lanes){0} + most, x); }

INLINE lanes sigmoid(lanes x) { return 1.0f / (1.0f + exponential_down(at_or_below(-x, 87.0f))); }

/* tanh(x) = x P(x^2) / Q(x^2) to 3e-7, up to where it is one: with one quotient and no power of e. */
INLINE lanes tangent(lanes x) {
    const ints sign = (ints)x & INT32_MIN;
    const lanes size = at_or_below((lanes)((ints)x ^ sign), 7.90531111f), z = size * size;
    lanes p = (lanes){0} - 2.76076847742355e-16f, q = (lanes){0} + 1.19825839466702e-06f;
    p = p * z + 2.00018790482477e-13f;
    p = p * z - 8.60467152213735e-11f;
    p = p * z + 5.12229709037114e-08f, q = q * z + 1.18534705686654e-04f;
    p = p * z + 1.48572235717979e-05f, q = q * z + 2.26843463243900e-03f;
    p = p * z + 6.37261928875436e-04f, q = q * z + 4.89352518554385e-03f;
    p = p * z + 4.89352455891786e-03f;
    return (lanes)((ints)(size * p / q) ^ sign);
}

/* i, f, o = sigmoid, g = tanh of what `given`, [4 D], and `sums` hold together; `gates` keeps them, if it is any.

       c = f c' + i g,   h = o tanh(c) */
INLINE void lstm(int64_t D, const float *given, const float *sums, const float *before, float *cell, float *hidden,
                 float *gates) {
    for (int64_t j = 0; j < D; j += LANES) {
        const lanes i = sigmoid(of(given + j) + of(sums + j));
        const lanes f = sigmoid(of(given + D + j) + of(sums + D + j));
        const lanes g = tangent(of(given + 2 * D + j) + of(sums + 2 * D + j));
        const lanes o = sigmoid(of(given + 3 * D + j) + of(sums + 3 * D + j));
        const lanes c = f * of(before + j) + i * g;
        if (gates) *at(gates + j) = i, *at(gates + D + j) = f, *at(gates + 2 * D + j) = g, *at(gates + 3 * D + j) = o;
        *at(cell + j) = c, *at(hidden + j) = o * tangent(c);
    }
}

/* The gradient of the sums, given that of h as `n` rows to be added up; that of c becomes that of c'. */
INLINE void lstm_back(int64_t D, const float *gates, const float *before, const float *cell, const int n,
                      const float *const *d_hidden, float *d_cell, float *d_sums) {
    for (int64_t j = 0; j < D; j += LANES) {
        const lanes i = of(gates + j), f = of(gates + D + j), g = of(gates + 2 * D + j);
        const lanes o = of(gates + 3 * D + j), told = tangent(of(cell + j));
        lanes dh = of(d_hidden[0] + j);
        UNROLL for (int k = 1; k < n; k++) dh += of(d_hidden[k] + j);
        const lanes dc = of(d_cell + j) + dh * o * (1.0f - told * told);
        *at(d_sums + j) = dc * g * i * (1.0f - i);
        *at(d_sums + D + j) = dc * of(before + j) * f * (1.0f - f);
        *at(d_sums + 2 * D + j) = dc * i * (1.0f - g * g);
        *at(d_sums + 3 * D + j) = dh * told * o * (1.0f - o);
        *at(d_cell + j) = dc * f;
    }
}
