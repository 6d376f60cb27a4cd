/* The highest numbers of a row, and of equals those that stand first; the best ways to go on. */

#pragma once

#include "simd.h"

/* Insert at the end of a list, highest first, or further up where it belongs. */
INLINE void insert(float *values, int64_t *places, int64_t end, float value, int64_t place) {
    int64_t i = end;
    for (; i > 0 && values[i - 1] < value; i--) values[i] = values[i - 1], places[i] = places[i - 1];
    values[i] = value, places[i] = place;
}

enum { BLOCK = 4 * LANES }; /* numbers that are first asked whether one of them is high enough */

/* Whether a number is not below the limit. */
INLINE int any_from(lanes x, float limit) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(limit), _CMP_GE_OQ) != 0;
#elif defined(__AVX__)
    return _mm256_movemask_ps((__m256)(x >= limit)) != 0;
#else
    const ints from = x >= limit;
    int32_t any = 0;
    UNROLL for (int j = 0; j < LANES; j++) any |= from[j];
    return any;
#endif
}

INLINE lanes tops_of_block(const float *x) {
    lanes tops = *(const lanes *)x;
    UNROLL for (int v = 1; v < 4; v++) tops = higher(tops, *(const lanes *)(x + v * LANES));
    return tops;
}

static void best_of_row(const float *x, int64_t size, int64_t n, float *values, int64_t *places) {
    for (int64_t i = 0; i < n; i++) insert(values, places, i, x[i], i);
    for (int64_t i = n; i < size;) {
        const int64_t last = i + BLOCK < size ? i + BLOCK : size;
        if (last == i + BLOCK && !any_from(tops_of_block(x + i), values[n - 1])) {
            i = last;
            continue;
        }
        for (; i < last; i++)
            if (x[i] > values[n - 1]) insert(values, places, n - 1, x[i], i);
    }
}

typedef struct { /* the best ways to go on, best first: [B, n] each */
    float *totals;
    int64_t *parents, *symbols;
    float *gains;
} BeamCandidates;

/* Among the n best sums of a line's score and a symbol's log-probability, of which `known` are known,
   put those of the k-th line, whose best symbols are given; return how many are known then. Of equals
   the lower parent comes first, then the lower symbol. */
static inline int64_t go_on(int64_t k, float score, const float *gains, const int64_t *symbols, int64_t n_each,
                            int64_t n, int64_t known, const BeamCandidates *to) {
    for (int64_t j = 0; j < n_each; j++) {
        const float total = score + gains[j];
        int64_t i = known < n ? known : n;
        for (; i > 0; i--) {
            const int behind = to->totals[i - 1] < total ||
                               (to->totals[i - 1] == total && to->parents[i - 1] == k &&
                                to->symbols[i - 1] > symbols[j]);
            if (!behind) break;
            if (i == n) continue;
            to->totals[i] = to->totals[i - 1], to->parents[i] = to->parents[i - 1];
            to->symbols[i] = to->symbols[i - 1], to->gains[i] = to->gains[i - 1];
        }
        if (i == n) continue;
        to->totals[i] = total, to->parents[i] = k;
        to->symbols[i] = symbols[j], to->gains[i] = gains[j];
        known += known < n;
    }
    return known;
}
