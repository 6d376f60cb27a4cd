/* The loop of an LSTM that moves a window of bells along its source, forward and back.

       i, f, g, o = W x + b + [F U] [w'; h']        c = f c' + i g,   h = o tanh(c)
       log alpha, log beta, log move = A h + a      kappa = kappa' + move
       e[k, s] = alpha[k] exp(-beta[k] (kappa[k] - s)^2),   s = 1, 2, ...
       a[s] = sum of e[k, s] over k                 w = sum of a[s] v[s] over the places that are kept

   This is the first layer of decoders/window.py with attention/gaussian_mixture.py, from zeros on. W x + b
   of all steps comes from outside; going back, so do the gradients of the matrices. Between two barriers
   the threads share the strips of [F U], so that each reads a part of it, or the rows. */

#include <string.h>

#include "attention.h"
#include "lstm_cell.h"
#include "strips.h"

typedef struct {
    int64_t batch, steps, places, width, read, bells, threads; /* B, T, S, D, C, K */
    const float *F, *U, *A, *bias; /* [4 D, C], [4 D, D], [3 K, D], [3 K] */
    int64_t F_row;                 /* how far the rows of F are apart */
    const float *values;           /* [B, S, C] */
    const uint8_t *mask;           /* [B, S] */
    float *gates;                  /* [T, B, 4 D]: W x + b; afterwards the gates */
    float *rows;                   /* [T + 1, B, C + D]: w, h, from the start on */
    float *cells;                  /* [T + 1, B, D] */
    float *bell;                   /* [T + 1, B, 4, K]: log alpha, beta, move, kappa, from the start on */
    float *weights;                /* [B, T, S] */
    float *hidden, *window;        /* [B, T, D], [B, T, C]: h and w once more; going back, their gradients */
    float *d_sums, *d_bell;        /* [T, B, 4 D], [T, B, 3 K]: before the gates; of A h + a */
    float *d_values;               /* as those */
    float *work;
} WindowCall;

typedef struct { /* what lies in `work`, forward or back */
    Strips gates;
    float *sums;    /* [B, 4 D] or [B, C + D] */
    float *read;    /* [T, B, C]: the gradient of w */
    float *query;   /* [threads, D]: the gradient of h by the bells */
    float *d_cell;  /* [B, D] */
    float *d_kappa; /* [B, K] */
    int64_t row, size;
} WindowBench;

static WindowBench window_bench(const WindowCall *l, int64_t back) {
    const int64_t D = l->width, C = l->read, in = back ? 4 * D : C + D, out = back ? C + D : 4 * D;
    WindowBench w = {.gates = {l->work, in, out}, .row = whole(out)};
    w.sums = l->work + whole(out) * in;
    w.read = w.sums + l->batch * w.row;
    w.query = w.read + (back ? l->steps * l->batch * C : 0);
    w.d_cell = w.query + (back ? l->threads * D : 0);
    w.d_kappa = w.d_cell + (back ? l->batch * D : 0);
    w.size = w.d_kappa + (back ? l->batch * l->bells : 0) - l->work;
    return w;
}

int64_t window_size(const WindowCall *l, int64_t back) { return window_bench(l, back).size; }

INLINE float *window_row(const WindowCall *l, int64_t t, int64_t b) {
    return l->rows + (t * l->batch + b) * (l->read + l->width);
}
INLINE float *window_cell(const WindowCall *l, int64_t t, int64_t b) {
    return l->cells + (t * l->batch + b) * l->width;
}
INLINE float *window_bell(const WindowCall *l, int64_t t, int64_t b) {
    return l->bell + (t * l->batch + b) * 4 * l->bells;
}

/* ---- Forward ---- */

static void slide(const WindowCall *l, int64_t t, int64_t b) {
    const int64_t D = l->width, C = l->read, S = l->places, K = l->bells;
    const float *before = window_bell(l, t, b) + 3 * K;
    float *now = window_bell(l, t + 1, b), *row = window_row(l, t + 1, b);
    float *weights = l->weights + (b * l->steps + t) * S;
    for (int64_t k = 0; k < 3 * K; k++) now[k] = dot(row + C, l->A + k * D, D) + l->bias[k];
    for (int64_t k = K; k < 3 * K; k++) now[k] = expf(now[k]);
    for (int64_t k = 0; k < K; k++) now[3 * K + k] = before[k] + now[2 * K + k];
    for (int64_t s = 0; s < S; s++) {
        weights[s] = 0.0f;
        for (int64_t k = 0; k < K && l->mask[b * S + s]; k++) {
            const float away = now[3 * K + k] - (float)(s + 1);
            weights[s] += expf(now[k] - now[K + k] * (away * away));
        }
    }
    combine(row, weights, 1, l->values + b * S * C, C, S, C);
}

static void window_steps(const WindowCall *l, int64_t me, int64_t threads) {
    const int64_t D = l->width, C = l->read, B = l->batch, T = l->steps;
    const WindowBench w = window_bench(l, 0);
    lay(&w.gates, 0, l->F, l->F_row, C, me, threads);
    lay(&w.gates, C, l->U, D, D, me, threads);
    for (int64_t t = 0; t < T; t++) {
        BARRIER
        product(&w.gates, window_row(l, t, 0), C + D, B, w.sums, w.row, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) {
            float *gates = l->gates + (t * B + b) * 4 * D, *row = window_row(l, t + 1, b);
            lstm(D, gates, w.sums + b * w.row, window_cell(l, t, b), window_cell(l, t + 1, b), row + C, gates);
            slide(l, t, b);
            memcpy(l->window + (b * T + t) * C, row, C * sizeof(float));
            memcpy(l->hidden + (b * T + t) * D, row + C, D * sizeof(float));
        }
    }
}

/* ---- Back ---- */

/* da = dw v',   de[k, s] = da[s] e[k, s];   d_kappa holds what later steps say of this one's centres */
static void slide_back(const WindowCall *l, const float *d_read, int64_t t, int64_t b, float *d_kappa) {
    const int64_t C = l->read, S = l->places, K = l->bells;
    const float *now = window_bell(l, t + 1, b);
    float *d = l->d_bell + (t * l->batch + b) * 3 * K;
    memset(d, 0, 2 * K * sizeof(float));
    for (int64_t s = 0; s < S; s++) {
        if (!l->mask[b * S + s]) continue;
        const float da = dot(d_read, l->values + (b * S + s) * C, C);
        for (int64_t k = 0; k < K; k++) {
            const float away = now[3 * K + k] - (float)(s + 1), beta = now[K + k];
            const float de = da * expf(now[k] - beta * (away * away));
            d[k] += de;
            d[K + k] -= de * away * away * beta;
            d_kappa[k] -= 2.0f * de * beta * away;
        }
    }
    for (int64_t k = 0; k < K; k++) d[2 * K + k] = d_kappa[k] * now[2 * K + k];
}

static void window_row_back(const WindowCall *l, const WindowBench *w, int64_t t, int64_t b, float *query) {
    const int64_t D = l->width, C = l->read, K = l->bells, n = t * l->batch + b, place = b * l->steps + t;
    const float *later = w->sums + b * w->row;
    float *d_read = w->read + n * C;
    for (int64_t j = 0; j < C; j += LANES) *at(d_read + j) = of(l->window + place * C + j) + of(later + j);
    slide_back(l, d_read, t, b, w->d_kappa + b * K);
    combine(query, l->d_bell + n * 3 * K, 1, l->A, D, 3 * K, D);
    const float *parts[] = {l->hidden + place * D, query, later + C};
    lstm_back(D, l->gates + n * 4 * D, window_cell(l, t, b), window_cell(l, t + 1, b), 3, parts, w->d_cell + b * D,
              l->d_sums + n * 4 * D);
}

static void window_steps_back(const WindowCall *l, int64_t me, int64_t threads) {
    const int64_t D = l->width, C = l->read, B = l->batch, S = l->places, T = l->steps;
    const WindowBench w = window_bench(l, 1);
    lay_across(&w.gates, 0, l->F, l->F_row, C, me, threads);
    lay_across(&w.gates, C, l->U, D, D, me, threads);
    for (SHARE(b, B, me, threads)) {
        memset(w.sums + b * w.row, 0, w.row * sizeof(float));
        memset(w.d_cell + b * D, 0, D * sizeof(float));
        memset(w.d_kappa + b * l->bells, 0, l->bells * sizeof(float));
    }
    for (int64_t t = T - 1; t >= 0; t--) {
        for (SHARE(b, B, me, threads)) window_row_back(l, &w, t, b, w.query + me * D);
        BARRIER
        product(&w.gates, l->d_sums + t * B * 4 * D, 4 * D, B, w.sums, w.row, me, threads);
        BARRIER
    }
    for (SHARE(b, B, me, threads)) /* dv = a' dw, over all steps */
        for (int64_t s = 0; s < S; s++)
            combine(l->d_values + (b * S + s) * C, l->weights + b * T * S + s, S, w.read + b * C, B * C, T, C);
}

void window_forward(const WindowCall *l) {
    PARALLEL(l->threads) window_steps(l, ME, THREADS);
}

void window_backward(const WindowCall *l) {
    PARALLEL(l->threads) window_steps_back(l, ME, THREADS);
}
