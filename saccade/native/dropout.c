/* Dropout with chance computed from the place of a number, so that going back needs no mask.

       y = m x / (1 - p),   m = [hash(seed, i) >= p 2^32]

   The hash is the end of MurmurHash3, by which every bit of the place reaches every bit of it. */

#include "lanes.h"

typedef uint32_t bits __attribute__((vector_size(4 * LANES), aligned(4)));

void dropout(const float *x, int64_t n, uint64_t seed, uint32_t limit, float scale, float *y,
             int64_t n_threads) {
    const int64_t blocks = n / LANES;
    bits first;
    for (int j = 0; j < LANES; j++) first[j] = (uint32_t)j;
    const uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32);
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(b, blocks + 1, me, threads)) {
            bits h = (first + (uint32_t)(b * LANES)) * 0x9E3779B1u + low;
            h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
            h = ((h ^ high) ^ (h >> 13)) * 0xC2B2AE35u;
            h ^= h >> 16;
            const ints keep = (ints)(h >= limit);
            if (b < blocks) {
                const lanes all = *(const lanes *)(x + b * LANES) * scale;
                *(lanes *)(y + b * LANES) = (lanes)((ints)all & keep);
            } else
                for (int64_t i = 0; i < n - blocks * LANES; i++)
                    y[b * LANES + i] = keep[i] ? x[b * LANES + i] * scale : 0.0f;
        }
    }
}
