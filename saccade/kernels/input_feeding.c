/* The loop of an LSTM decoder that reads a memory and is fed what it wrote, forward and back.

       i, f, g, o = W x + b + [F U] [f'; h']        c = f c' + i g,   h = o tanh(c)
       a = softmax(scale h k')                      r = a v
       y = drop(tanh(R [h; r] + b_r)),              which is the next step's f'

   This is decoders/rnn.py step by step, in Luong's wiring. W x + b of all steps comes from outside;
   going back, so do the gradients of the matrices, one product over all steps. Between two
   barriers the threads share the strips of a matrix, so that each reads a part of it, or the rows. */

#include <string.h>

#include "attention.h"
#include "dropout_mask.h"
#include "lstm_cell.h"
#include "strips.h"

typedef struct {
    int64_t batch, steps, places, width, read, threads; /* B, T, S, D, C */
    const float *F, *U, *R, *bias; /* [4 D, D], [4 D, D], [D, D + C], [D] */
    int64_t F_row;                 /* how far the rows of F are apart */
    const float *keys, *values;    /* [B, S, D], [B, S, C] */
    const uint8_t *mask;           /* [B, S] */
    float *gates;                  /* [T, B, 4 D]: W x + b; afterwards the gates */
    float *rows;                   /* [T + 1, B, D + D + C]: y, h, r, from the start on */
    float *cells;                  /* [T + 1, B, D] */
    float *weights;                /* [B, T, S] */
    float *features;               /* [B, T, D]: y once more; going back, its gradient */
    DropoutDraw draw;
    float scale;
    float *d_sums, *d_readout;        /* [T, B, 4 D], [T, B, D]: before the gates, before tanh */
    float *d_keys, *d_values;       /* as those */
    float *d_hidden, *d_cell;       /* [B, D]: of the start */
    float *work;
} InputFeedingCall;

typedef struct { /* what lies in `work`, forward or back */
    Strips gates, outer;
    float *sums;     /* [B, 4 D] or [B, 2 D] */
    float *read;     /* [B, D] or [T, B, D + C] */
    float *d_scores; /* [B, T, S] */
    float *query;    /* [threads, D] */
    int64_t sums_row, read_row, size;
} Bench;

static Bench lay_out_forward(const InputFeedingCall *l) {
    const int64_t D = l->width, C = l->read;
    Bench w = {.gates = {l->work, 2 * D, 4 * D}, .sums_row = whole(4 * D), .read_row = whole(D)};
    w.outer = (Strips){w.gates.at + whole(4 * D) * 2 * D, D + C, D};
    w.sums = w.outer.at + whole(D) * (D + C);
    w.read = w.sums + l->batch * w.sums_row;
    w.size = w.read + l->batch * w.read_row - l->work;
    return w;
}

static Bench lay_out_back(const InputFeedingCall *l) {
    const int64_t D = l->width, C = l->read;
    Bench w = {.gates = {l->work, 4 * D, 2 * D}, .sums_row = whole(2 * D), .read_row = whole(D + C)};
    w.outer = (Strips){w.gates.at + whole(2 * D) * 4 * D, D, D + C};
    w.sums = w.outer.at + whole(D + C) * D;
    w.read = w.sums + l->batch * w.sums_row;
    w.d_scores = w.read + l->steps * l->batch * w.read_row;
    w.query = w.d_scores + l->batch * l->steps * l->places;
    w.size = w.query + l->threads * D - l->work;
    return w;
}

int64_t input_feeding_size(const InputFeedingCall *l, int64_t back) { return back ? lay_out_back(l).size : lay_out_forward(l).size; }

INLINE float *row_at(const InputFeedingCall *l, int64_t t, int64_t b) {
    return l->rows + (t * l->batch + b) * (2 * l->width + l->read);
}
INLINE float *cell_at(const InputFeedingCall *l, int64_t t, int64_t b) { return l->cells + (t * l->batch + b) * l->width; }

/* ---- Forward ---- */

static void move(const InputFeedingCall *l, const float *sums, int64_t t, int64_t b) {
    const int64_t D = l->width;
    float *gates = l->gates + (t * l->batch + b) * 4 * D;
    lstm(D, gates, sums, cell_at(l, t, b), cell_at(l, t + 1, b), row_at(l, t + 1, b) + D, gates);
}

static void look(const InputFeedingCall *l, int64_t t, int64_t b) {
    const int64_t D = l->width, C = l->read, S = l->places;
    float *hidden = row_at(l, t + 1, b) + D, *weights = l->weights + (b * l->steps + t) * S;
    const uint8_t *mask = l->mask + b * S;
    int64_t kept = 0;
    for (int64_t s = 0; s < S; s++) {
        weights[s] = mask[s] ? dot(hidden, l->keys + (b * S + s) * D, D) * l->scale : -INFINITY;
        kept += mask[s];
    }
    if (kept)
        softmax(weights, S);
    else
        for (int64_t s = 0; s < S; s++) weights[s] = 0.0f;
    combine(hidden + D, weights, 1, l->values + b * S * C, C, S, C);
}

static void write_row(const InputFeedingCall *l, const float *read, int64_t t, int64_t b) {
    const int64_t D = l->width, place = (b * l->steps + t) * D;
    float *y = row_at(l, t + 1, b);
    for (int64_t j = 0; j < D; j += LANES) {
        const lanes all = tangent(of(read + j) + of(l->bias + j)) * l->draw.scale;
        *at(l->features + place + j) = *at(y + j) = (lanes)((ints)all & stays(&l->draw, place + j));
    }
}

static void go_forward(const InputFeedingCall *l, int64_t me, int64_t threads) {
    const int64_t D = l->width, B = l->batch, row = 2 * D + l->read;
    const Bench w = lay_out_forward(l);
    lay(&w.gates, 0, l->F, l->F_row, D, me, threads);
    lay(&w.gates, D, l->U, D, D, me, threads);
    lay(&w.outer, 0, l->R, D + l->read, D + l->read, me, threads);
    for (int64_t t = 0; t < l->steps; t++) {
        BARRIER
        product(&w.gates, row_at(l, t, 0), row, B, w.sums, w.sums_row, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) {
            move(l, w.sums + b * w.sums_row, t, b);
            look(l, t, b);
        }
        BARRIER
        product(&w.outer, row_at(l, t + 1, 0) + D, row, B, w.read, w.read_row, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) write_row(l, w.read + b * w.read_row, t, b);
    }
}

/* ---- Back ---- */

/* dz = (dy + what the next step says of it) m / (1 - p) (1 - tanh(z)^2) */
static void write_row_back(const InputFeedingCall *l, const float *fed, int64_t t, int64_t b) {
    const int64_t D = l->width, place = (b * l->steps + t) * D;
    const float *y = row_at(l, t + 1, b), scale = l->draw.scale, unscale = 1.0f / scale;
    float *dz = l->d_readout + (t * l->batch + b) * D;
    for (int64_t j = 0; j < D; j += LANES) {
        const lanes z = of(y + j) * unscale, dy = of(l->features + place + j) + of(fed + j);
        *at(dz + j) = (lanes)((ints)(dy * scale * (1.0f - z * z)) & stays(&l->draw, place + j));
    }
}

/* da = dr v',   de = scale a (da - sum a da),   dq = de k */
static void look_back(const InputFeedingCall *l, const Bench *w, int64_t t, int64_t b, float *d_query) {
    const int64_t D = l->width, C = l->read, S = l->places, at = (b * l->steps + t) * S;
    const float *weights = l->weights + at, *d_read = w->read + (t * l->batch + b) * w->read_row + D;
    float *d_scores = w->d_scores + at, sum = 0.0f;
    for (int64_t s = 0; s < S; s++) {
        d_scores[s] = weights[s] != 0.0f ? dot(d_read, l->values + (b * S + s) * C, C) : 0.0f;
        sum += weights[s] * d_scores[s];
    }
    for (int64_t s = 0; s < S; s++) d_scores[s] = weights[s] * (d_scores[s] - sum) * l->scale;
    combine(d_query, d_scores, 1, l->keys + b * S * D, D, S, D);
}

static void move_back(const InputFeedingCall *l, const Bench *w, int64_t t, int64_t b, const float *d_query) {
    const int64_t D = l->width, n = t * l->batch + b;
    const float *parts[] = {w->read + n * w->read_row, d_query, w->sums + b * w->sums_row + D};
    lstm_back(D, l->gates + n * 4 * D, cell_at(l, t, b), cell_at(l, t + 1, b), 3, parts,
              l->d_cell + b * D, l->d_sums + n * 4 * D);
}

/* dk = de' h,   dv = a' dr, over all steps */
static void learn_places(const InputFeedingCall *l, const Bench *w, int64_t b) {
    const int64_t D = l->width, C = l->read, S = l->places, T = l->steps, row = 2 * D + C;
    for (int64_t s = 0; s < S; s++) {
        const int64_t first = b * T * S + s, place = b * S + s;
        combine(l->d_keys + place * D, w->d_scores + first, S, row_at(l, 1, b) + D, l->batch * row, T, D);
        combine(l->d_values + place * C, l->weights + first, S, w->read + b * w->read_row + D,
                l->batch * w->read_row, T, C);
    }
}

static void go_back(const InputFeedingCall *l, int64_t me, int64_t threads) {
    const int64_t D = l->width, B = l->batch;
    const Bench w = lay_out_back(l);
    lay_across(&w.gates, 0, l->F, l->F_row, D, me, threads);
    lay_across(&w.gates, D, l->U, D, D, me, threads);
    lay_across(&w.outer, 0, l->R, D + l->read, D + l->read, me, threads);
    for (SHARE(b, B, me, threads)) {
        memset(w.sums + b * w.sums_row, 0, w.sums_row * sizeof(float));
        memset(l->d_cell + b * D, 0, D * sizeof(float));
    }
    for (int64_t t = l->steps - 1; t >= 0; t--) {
        for (SHARE(b, B, me, threads)) write_row_back(l, w.sums + b * w.sums_row, t, b);
        BARRIER
        product(&w.outer, l->d_readout + t * B * D, D, B, w.read + t * B * w.read_row, w.read_row, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) {
            look_back(l, &w, t, b, w.query + me * D);
            move_back(l, &w, t, b, w.query + me * D);
        }
        BARRIER
        product(&w.gates, l->d_sums + t * B * 4 * D, 4 * D, B, w.sums, w.sums_row, me, threads);
        BARRIER
    }
    for (SHARE(b, B, me, threads)) {
        memcpy(l->d_hidden + b * D, w.sums + b * w.sums_row + D, D * sizeof(float));
        learn_places(l, &w, b);
    }
}

void input_feeding_forward(const InputFeedingCall *l) {
    PARALLEL(l->threads) go_forward(l, ME, THREADS);
}

void input_feeding_backward(const InputFeedingCall *l) {
    PARALLEL(l->threads) go_back(l, ME, THREADS);
}
