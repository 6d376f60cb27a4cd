/* The scores of additive attention in training, forward and back.

       e[t, s] = v . tanh(q[t] + k[s])
       dk[s] = sum over t of g,   dq[t] = sum over s of g,   g = de[t, s] v (1 - tanh^2)
       dv = sum of de[t, s] tanh

   Written out, each of these is a tensor [B, T, S, H] in memory. Here the curve stays in registers, and
   is computed again going back, which takes less time than to keep it. */

#include "lstm_cell.h"

typedef struct {
    int64_t batch, queries, keys, width, threads;
    const float *q, *k, *v; /* [B, T, H], [B, S, H], [H] */
    float *scores;          /* [B, T, S], their gradient going back */
    float *dq, *dk, *dv;    /* as q and k; [B, H], one for each row of the batch */
} AdditiveCall;

static void additive_scores_of(const AdditiveCall *a, int64_t b) {
    const int64_t T = a->queries, S = a->keys, H = a->width;
    for (int64_t t = 0; t < T; t++) {
        const float *q = a->q + (b * T + t) * H;
        for (int64_t s = 0; s < S; s++) {
            const float *k = a->k + (b * S + s) * H;
            lanes sum = {0};
            for (int64_t j = 0; j < H; j += LANES) sum += of(a->v + j) * tangent(of(q + j) + of(k + j));
            a->scores[(b * T + t) * S + s] = total(sum);
        }
    }
}

static void additive_gradients_of(const AdditiveCall *a, int64_t b) {
    const int64_t T = a->queries, S = a->keys, H = a->width;
    float *dv = a->dv + b * H;
    for (int64_t i = 0; i < S * H; i++) a->dk[b * S * H + i] = 0.0f;
    for (int64_t i = 0; i < T * H; i++) a->dq[b * T * H + i] = 0.0f;
    for (int64_t i = 0; i < H; i++) dv[i] = 0.0f;
    for (int64_t t = 0; t < T; t++) {
        const float *q = a->q + (b * T + t) * H;
        float *dq = a->dq + (b * T + t) * H;
        for (int64_t s = 0; s < S; s++) {
            const float *k = a->k + (b * S + s) * H, de = a->scores[(b * T + t) * S + s];
            float *dk = a->dk + (b * S + s) * H;
            if (de == 0.0f) continue; /* as of every place that is not kept */
            for (int64_t j = 0; j < H; j += LANES) {
                const lanes m = tangent(of(q + j) + of(k + j)), g = de * of(a->v + j) * (1.0f - m * m);
                *at(dk + j) += g, *at(dq + j) += g, *at(dv + j) += de * m;
            }
        }
    }
}

void additive_forward(const AdditiveCall *a) {
    PARALLEL(a->threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(b, a->batch, me, threads)) additive_scores_of(a, b);
    }
}

void additive_backward(const AdditiveCall *a) {
    PARALLEL(a->threads) {
        const int64_t me = ME, threads = THREADS;
        for (SHARE(b, a->batch, me, threads)) additive_gradients_of(a, b);
    }
}
