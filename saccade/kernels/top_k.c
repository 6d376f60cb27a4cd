/* The highest numbers of many rows, and the best ways to go on of many sentences. */

#include "top_k.h"

void best(const float *x, int64_t rows, int64_t size, int64_t n, float *values, int64_t *places,
          int64_t n_threads) {
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(r, rows, me, threads)) best_of_row(x + r * size, size, n, values + r * n, places + r * n);
    }
}

void ways_on(const float *x, const float *scores, int64_t sentences, int64_t lines, int64_t size,
             int64_t n_each, int64_t n, const BeamCandidates *ways, int64_t n_threads) {
    PARALLEL(n_threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(b, sentences, me, threads)) {
            const BeamCandidates to = {ways->totals + b * n, ways->parents + b * n, ways->symbols + b * n,
                             ways->gains + b * n};
            float gains[n_each];
            int64_t symbols[n_each], known = 0;
            for (int64_t k = b * lines; k < (b + 1) * lines; k++) {
                best_of_row(x + k * size, size, n_each, gains, symbols);
                known = go_on(k - b * lines, scores[k], gains, symbols, n_each, n, known, &to);
            }
        }
    }
}
