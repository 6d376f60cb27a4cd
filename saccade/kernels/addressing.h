/* Addressing the slots of a memory by what they hold, forward and back, and rows of any length. */

#pragma once

#include "simd.h"

typedef struct {
    int64_t slots, width; /* N, M */
    float tiny;           /* beside lengths, so that none is divided by nought */
} Slots;

INLINE float row_dot(const float *a, const float *b, int64_t n) {
    lanes sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) sum += of(a + i) * of(b + i);
    float y = total(sum);
    for (; i < n; i++) y += a[i] * b[i];
    return y;
}

INLINE void row_add(float *y, float a, const float *x, int64_t n) {
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) *at(y + i) += a * of(x + i);
    for (; i < n; i++) y[i] += a * x[i];
}

INLINE float opened(float x) { return 1.0f / (1.0f + expf(-x)); }
INLINE float one_plus(float x) { return 1.0f + (x > 20.0f ? x : log1pf(expf(x))); }

/* w = softmax(beta c), c[n] = k . M[n] / (|k| |M[n]| + tiny) */
static void content(Slots s, const float *memory, const float *length, const float *key, float beta,
                    float *key_length, float *cosine, float *found) {
    const int64_t N = s.slots, M = s.width;
    *key_length = sqrtf(row_dot(key, key, M));
    for (int64_t n = 0; n < N; n++) {
        cosine[n] = row_dot(key, memory + n * M, M) / (*key_length * length[n] + s.tiny);
        found[n] = beta * cosine[n];
    }
    softmax(found, N);
}

static void lengths(Slots s, const float *memory, float *length) {
    for (int64_t n = 0; n < s.slots; n++)
        length[n] = sqrtf(row_dot(memory + n * s.width, memory + n * s.width, s.width));
}

/* The gradient by w, `d`, to the memory, the key, and beta, which is returned; `d` is lost. */
static float content_back(Slots s, const float *memory, const float *length, const float *key,
                          float beta, float key_length, const float *cosine, const float *found, float *d,
                          float *d_memory, float *d_key) {
    const int64_t N = s.slots, M = s.width;
    const float mean = row_dot(found, d, N);
    float d_beta = 0.0f, along = 0.0f;
    for (int64_t n = 0; n < N; n++) {
        const float ds = found[n] * (d[n] - mean);
        d_beta += ds * cosine[n];
        d[n] = beta * ds / (key_length * length[n] + s.tiny);
        along += d[n] * cosine[n] * length[n];
    }
    const float off = along / (key_length > 1e-30f ? key_length : 1e-30f);
    for (int64_t m = 0; m < M; m++) d_key[m] = -off * key[m];
    for (int64_t n = 0; n < N; n++) {
        const float *row = memory + n * M;
        row_add(d_key, d[n], row, M);
        row_add(d_memory + n * M, d[n], key, M);
        row_add(d_memory + n * M, -d[n] * cosine[n] * key_length / (length[n] > 1e-30f ? length[n] : 1e-30f), row, M);
    }
    return d_beta;
}
