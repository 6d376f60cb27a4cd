/* Linear layers and norms of many rows, each of which is computed by itself and in one order. */

#pragma once

#include <string.h>

#include "lanes.h"

typedef struct { /* y = W x + b, the matrix in panels: [out / PANEL][in][PANEL], zeros at its end */
    const float *panels, *bias;
    int64_t in, out;
} Linear;

typedef struct { /* the norm of a wire, before the layer or behind the sum */
    const float *weight, *bias;
    float eps;
    int32_t pre;
} Norm;

#if defined(__AVX512F__) || defined(__aarch64__)
enum { WIDE = 4 }; /* vectors that a panel is wide: 6 x 4 sums of 32 registers */
#else
enum { WIDE = 2 }; /* 6 x 2 sums of 16 registers */
#endif
enum { PANEL = WIDE * LANES, ROWS = 6 };

/* Some rows by one panel: what stays in registers. `onto` is added if there is any. */
INLINE void tile(const int rows, const Linear *w, const float *panel, const float *x, int64_t first,
                 const float *onto, int relu, float *y) {
    const int64_t in = w->in, out = w->out;
    lanes sums[ROWS][WIDE];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] = (lanes){0};
    for (int64_t k = 0; k < in; k++) {
        lanes b[WIDE];
        UNROLL for (int v = 0; v < WIDE; v++) b[v] = *(const lanes *)(panel + k * PANEL + v * LANES);
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < WIDE; v++) sums[r][v] +=
            x[r * in + k] * b[v];
    }
    for (int r = 0; r < rows; r++) {
        float *to = y + r * out + first;
        const float *from = onto ? onto + r * out + first : 0;
        float all[PANEL];
        UNROLL for (int v = 0; v < WIDE; v++) *(lanes *)(all + v * LANES) = sums[r][v];
        const int64_t n = out - first < PANEL ? out - first : PANEL;
        for (int64_t j = 0; j < n; j++) {
            float one = all[j] + w->bias[first + j];
            one = from ? one + from[j] : one;
            to[j] = relu && one < 0.0f ? 0.0f : one;
        }
    }
}

/* y = W x + b (+ onto) for `n` rows; the panels are shared out among the threads. */
static inline void linear(const Linear *w, const float *x, int64_t n, const float *onto, int relu,
                          float *y, int64_t me, int64_t threads) {
    const int64_t n_panels = (w->out + PANEL - 1) / PANEL;
    for (SHARE(p, n_panels, me, threads)) {
        const float *panel = w->panels + p * w->in * PANEL;
        for (int64_t r = 0; r < n; r += ROWS) {
            const float *xs = x + r * w->in, *os = onto ? onto + r * w->out : 0;
            float *ys = y + r * w->out;
            const int64_t first = p * PANEL;
            switch (n - r < ROWS ? n - r : ROWS) {
            case 1: tile(1, w, panel, xs, first, os, relu, ys); break;
            case 2: tile(2, w, panel, xs, first, os, relu, ys); break;
            case 3: tile(3, w, panel, xs, first, os, relu, ys); break;
            case 4: tile(4, w, panel, xs, first, os, relu, ys); break;
            case 5: tile(5, w, panel, xs, first, os, relu, ys); break;
            default: tile(6, w, panel, xs, first, os, relu, ys);
            }
        }
    }
}

/* The rows of a thread, normed or, where the norm stands elsewhere, copied. */
static inline void normed(const Norm *norm, int here, const float *x, int64_t n, int64_t width,
                          float *y, int64_t me, int64_t threads) {
    for (SHARE(r, n, me, threads)) {
        const float *row = x + r * width;
        float *to = y + r * width;
        if (!here) {
            if (to != row) memcpy(to, row, width * sizeof(float));
            continue;
        }
        lanes sum = {0}, squares = {0};
        for (int64_t i = 0; i < width; i += LANES) sum += *(const lanes *)(row + i);
        const float mean = total(sum) / width;
        for (int64_t i = 0; i < width; i += LANES) {
            const lanes off = *(const lanes *)(row + i) - mean;
            squares += off * off;
        }
        const float scale = 1.0f / sqrtf(total(squares) / width + norm->eps);
        for (int64_t i = 0; i < width; i += LANES)
            *(lanes *)(to + i) = (*(const lanes *)(row + i) - mean) * scale *
                                     *(const lanes *)(norm->weight + i) + *(const lanes *)(norm->bias + i);
    }
}
