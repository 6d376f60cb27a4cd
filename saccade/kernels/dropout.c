/* Dropout whose mask is hashed from the place of a number, so that going back needs none in memory.

       y = m x / (1 - p),   m = [hash(seed, i) >= p 2^32]                                      */

#include "dropout_mask.h"

void dropout(const float *x, int64_t n, uint64_t seed, uint32_t limit, float scale, float *y,
             int64_t n_threads) {
    const int64_t blocks = n / LANES;
    const DropoutDraw draw = {seed, limit, scale};
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(b, blocks + 1, me, threads)) {
            const ints keep = stays(&draw, b * LANES);
            if (b < blocks) {
                const lanes all = *(const lanes *)(x + b * LANES) * scale;
                *(lanes *)(y + b * LANES) = (lanes)((ints)all & keep);
            } else
                for (int64_t i = 0; i < n - blocks * LANES; i++)
                    y[b * LANES + i] = keep[i] ? x[b * LANES + i] * scale : 0.0f;
        }
    }
}
