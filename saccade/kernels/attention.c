/* Attention of many short sequences in training, forward and back.

       a = softmax(q k' / sqrt(d)) of the places that the mask keeps       y = a v
       dv = a' dy,   da = dy v',   ds = a (da - sum a da) / sqrt(d),   dq = ds k,   dk = ds' q

   A head of a sentence fits into the innermost cache whole, and is done there from its first
   product to its last. Tensors are read where they lie: a head's rows need not stand side by side. */

#include "attention.h"

static void backward_head(const AttentionCall *a, int64_t b, int64_t h, float *d_scores) {
    const int64_t T = a->queries, S = a->keys, d = a->width;
    const float scale = 1.0f / sqrtf((float)d), *all = a->weights + (b * a->heads + h) * T * S;
    for (int64_t t = 0; t < T; t++) {
        const float *weights = all + t * S, *dy = row(&a->dy, b, h, t);
        float *ds = d_scores + t * S, sum = 0.0f;
        for (int64_t s = 0; s < S; s++) {
            ds[s] = weights[s] != 0.0f ? dot(dy, row(&a->v, b, h, s), d) : 0.0f;
            sum += weights[s] * ds[s];
        }
        for (int64_t s = 0; s < S; s++) ds[s] = weights[s] * (ds[s] - sum) * scale;
        combine(row(&a->dq, b, h, t), ds, 1, row(&a->k, b, h, 0), a->k.place, S, d);
    }
    for (int64_t s = 0; s < S; s++) {
        combine(row(&a->dk, b, h, s), d_scores + s, S, row(&a->q, b, h, 0), a->q.place, T, d);
        combine(row(&a->dv, b, h, s), all + s, S, row(&a->dy, b, h, 0), a->dy.place, T, d);
    }
}

void attention_forward(const AttentionCall *a) {
    PARALLEL(a->threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(i, a->batch * a->heads, me, threads)) forward_head(a, i / a->heads, i % a->heads);
    }
}

void attention_backward(const AttentionCall *a) {
    PARALLEL(a->threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(i, a->batch * a->heads, me, threads))
            backward_head(a, i / a->heads, i % a->heads, a->work + me * a->queries * a->keys);
    }
}
