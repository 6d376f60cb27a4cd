/* Attention of one head of one sentence. */

#pragma once

#include "simd.h"

typedef struct { /* [B, H, T or S, d], the last side by side */
    float *at;
    int64_t batch, head, place; /* strides */
} HeadsView;

typedef struct {
    int64_t batch, heads, queries, keys, width, threads;
    HeadsView q, k, v, y, dq, dk, dv, dy;
    const uint8_t *mask; /* [B, T, S], with strides */
    int64_t mask_batch, mask_query, mask_key;
    float *weights; /* [B, H, T, S] if they are kept, otherwise [S] */
    int64_t keep;
    float *work;    /* [threads, T, S] */
} AttentionCall;

INLINE float *row(const HeadsView *x, int64_t b, int64_t h, int64_t place) {
    return x->at + b * x->batch + h * x->head + place * x->place;
}

/* y = sum over i of by[i step] x[i]: sums stay in registers until they are whole. */
INLINE void combine(float *y, const float *by, int64_t step, const float *x, int64_t stride, int64_t n,
                    int64_t d) {
    int64_t j = 0;
    for (; j + 4 * LANES <= d; j += 4 * LANES) {
        lanes sums[4] = {{0}, {0}, {0}, {0}};
        for (int64_t i = 0; i < n; i++)
            UNROLL for (int v = 0; v < 4; v++) sums[v] +=
                by[i * step] * *(const lanes *)(x + i * stride + j + v * LANES);
        UNROLL for (int v = 0; v < 4; v++) *(lanes *)(y + j + v * LANES) = sums[v];
    }
    for (; j < d; j += LANES) {
        lanes sum = {0};
        for (int64_t i = 0; i < n; i++) sum += by[i * step] * *(const lanes *)(x + i * stride + j);
        *(lanes *)(y + j) = sum;
    }
}

static inline void forward_head(const AttentionCall *a, int64_t b, int64_t h) {
    const int64_t T = a->queries, S = a->keys, d = a->width;
    const float scale = 1.0f / sqrtf((float)d);
    for (int64_t t = 0; t < T; t++) {
        float *weights = a->weights + (a->keep ? ((b * a->heads + h) * T + t) * S : 0);
        const float *q = row(&a->q, b, h, t);
        const uint8_t *keep = a->mask + b * a->mask_batch + t * a->mask_query;
        int64_t kept = 0;
        for (int64_t s = 0; s < S; s++) {
            const int is = keep[s * a->mask_key];
            weights[s] = is ? dot(q, row(&a->k, b, h, s), d) * scale : -INFINITY;
            kept += is;
        }
        if (kept)
            softmax(weights, S);
        else
            for (int64_t s = 0; s < S; s++) weights[s] = 0.0f;
        combine(row(&a->y, b, h, t), weights, 1, row(&a->v, b, h, 0), a->v.place, S, d);
    }
}
