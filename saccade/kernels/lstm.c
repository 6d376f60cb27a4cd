/* All steps of an LSTM over a known sequence, forward and back.

       i, f, g, o = W x + b + U h'        c = f c' + i g,   h = o tanh(c)

   W x + b of all steps comes from outside; going back, so do the gradients of the matrices. Between two
   barriers the threads share the strips of U, so that each reads a part of it, or the rows. */

#include <string.h>

#include "lstm_cell.h"
#include "strips.h"

typedef struct {
    int64_t batch, steps, width, threads; /* B, T, D */
    const float *U;           /* [4 D, D] */
    float *gates;             /* [T, B, 4 D]: W x + b; afterwards the gates */
    float *hidden, *cells;    /* [T + 1, B, D], from the start on */
    float *outputs;           /* [B, T, D]: h once more; going back, its gradient */
    float *d_sums;            /* [T, B, 4 D] */
    float *d_hidden, *d_cell; /* [B, D]: of the end; afterwards of the start */
    float *work;
} LstmCall;

static int64_t sums_row(const LstmCall *s, int64_t back) { return whole(back ? s->width : 4 * s->width); }

/* The matrix in strips, then a row of sums for each sentence. */
int64_t lstm_size(const LstmCall *s, int64_t back) {
    const int64_t in = back ? 4 * s->width : s->width;
    return sums_row(s, back) * (in + s->batch);
}

static void steps_forward(const LstmCall *s, int64_t me, int64_t threads) {
    const int64_t D = s->width, B = s->batch, row = sums_row(s, 0);
    const Strips U = {s->work, D, 4 * D};
    float *sums = s->work + row * D;
    lay(&U, 0, s->U, D, D, me, threads);
    for (int64_t t = 0; t < s->steps; t++) {
        BARRIER
        product(&U, s->hidden + t * B * D, D, B, sums, row, me, threads);
        BARRIER
        for (SHARE(b, B, me, threads)) {
            const int64_t n = t * B + b, next = n + B;
            float *gates = s->gates + n * 4 * D;
            lstm(D, gates, sums + b * row, s->cells + n * D, s->cells + next * D, s->hidden + next * D, gates);
            memcpy(s->outputs + (b * s->steps + t) * D, s->hidden + next * D, D * sizeof(float));
        }
    }
}

static void steps_back(const LstmCall *s, int64_t me, int64_t threads) {
    const int64_t D = s->width, B = s->batch, row = sums_row(s, 1);
    const Strips U = {s->work, 4 * D, D};
    float *later = s->work + row * 4 * D;
    lay_across(&U, 0, s->U, D, D, me, threads);
    for (SHARE(b, B, me, threads)) memcpy(later + b * row, s->d_hidden + b * D, D * sizeof(float));
    for (int64_t t = s->steps - 1; t >= 0; t--) {
        for (SHARE(b, B, me, threads)) {
            const int64_t n = t * B + b;
            const float *parts[] = {s->outputs + (b * s->steps + t) * D, later + b * row};
            lstm_back(D, s->gates + n * 4 * D, s->cells + n * D, s->cells + (n + B) * D, 2, parts,
                      s->d_cell + b * D, s->d_sums + n * 4 * D);
        }
        BARRIER
        product(&U, s->d_sums + t * B * 4 * D, 4 * D, B, later, row, me, threads);
        BARRIER
    }
    for (SHARE(b, B, me, threads)) memcpy(s->d_hidden + b * D, later + b * row, D * sizeof(float));
}

void lstm_forward(const LstmCall *s) {
    PARALLEL(s->threads) steps_forward(s, ME, THREADS);
}

void lstm_backward(const LstmCall *s) {
    PARALLEL(s->threads) steps_back(s, ME, THREADS);
}
