/* Smoothed cross-entropy of rows of scores, which become their own gradient.

       p = softmax(z),   nll = -log p[y],   even = mean over v of -log p[v]
       dz = p - (1 - e) onehot(y) - e / V

   A row is done from its first pass to its last while it is in the cache. */

#include "lanes.h"

typedef struct {
    int64_t rows, symbols, threads, learns;
    float smoothing;
    float *scores;       /* [R, V], afterwards the gradient if it learns */
    const int64_t *gold; /* [R] */
    float *nll, *even;   /* [R] */
    float *d_bias;       /* [threads, V], the rows of each thread are added up in it */
} Loss;

static void loss_of_row(const Loss *a, int64_t r, float *d_bias) {
    const int64_t V = a->symbols, whole = V / LANES * LANES;
    float *z = a->scores + r * V;
    const float right = z[a->gold[r]], top = highest(z, V);
    lanes sums = {0};
    for (int64_t i = 0; i < whole; i += LANES) sums += *(lanes *)(z + i);
    float mean = total(sums);
    for (int64_t i = whole; i < V; i++) mean += z[i];
    const float sum = exponentials(z, V, top), log_sum = logf(sum) + top;
    a->nll[r] = log_sum - right;
    a->even[r] = log_sum - mean / V;
    if (!a->learns) return;
    const float share = 1.0f / sum, less = a->smoothing / V;
    z[a->gold[r]] -= (1.0f - a->smoothing) * sum;
    for (int64_t i = 0; i < whole; i += LANES)
        *(lanes *)(d_bias + i) += *(lanes *)(z + i) = *(lanes *)(z + i) * share - less;
    for (int64_t i = whole; i < V; i++) d_bias[i] += z[i] = z[i] * share - less;
}

void cross_entropy(const Loss *a) {
    PARALLEL(a->threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(r, a->rows, me, threads)) loss_of_row(a, r, a->d_bias + me * a->symbols);
    }
}
