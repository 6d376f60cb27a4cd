/* Both directions of a layer of LSTM cells over a batch of sentences, forward and back.

       i, f, g, o = W x + b + U h'        c = f c' + i g,   h = o tanh(c)

   W x + b of both comes from outside, and so do the gradients of all matrices. Places that are padding
   are passed by: they say nothing and change nothing. Two threads take a direction each, and then none
   waits for the other; otherwise all share the one, then the other. */

#include <string.h>

#include "lstm_cell.h"
#include "strips.h"

typedef struct {
    int64_t batch, places, width, threads; /* B, S, D */
    const float *U_right, *U_left; /* [4 D, D] */
    const uint8_t *mask; /* [B, S] */
    float *gates;        /* [B, S, 2, 4 D]: W x + b; afterwards the gates */
    float *d_sums;       /* [B, S, 2, 4 D]: going back, the gradient of what they were made of */
    float *cells;        /* [B, S, 2, D] */
    float *states;       /* [B, S, 2, D]: h; going back, its gradient */
    float *last;         /* [B, 2, D]: the last h; going back, its gradient */
    float *work;         /* room for what `bidirectional_lstm_size` says */
} BidirectionalLstmCall;

/* For each direction: the matrix in strips, a row of sums for each sentence, its h and c; going back,
   the gradients of all these. Rows are rounded up to strips. */
static int64_t size_of_side(const BidirectionalLstmCall *s) {
    return (4 * s->width + s->batch) * (s->width + STRIP) + 10 * s->batch * s->width;
}

int64_t bidirectional_lstm_size(const BidirectionalLstmCall *s) { return 2 * size_of_side(s); }

static void meet(int64_t threads) {
    if (threads > 1) {
        BARRIER
    }
}

static void read_along(const BidirectionalLstmCall *s, int64_t side, int64_t me, int64_t threads) {
    const int64_t B = s->batch, S = s->places, D = s->width, row = whole(4 * D);
    const Strips U = {s->work + side * size_of_side(s), D, 4 * D};
    float *sums = U.at + row * D, *h = sums + B * row, *c = h + B * D;
    lay(&U, 0, side ? s->U_left : s->U_right, D, D, me, threads);
    for (SHARE(i, 2 * B * D, me, threads)) h[i] = 0.0f;
    for (SHARE(i, B * row, me, threads)) sums[i] = 0.0f; /* of the first place, before which h is zero */
    for (int64_t i = 0; i < S; i++) {
        const int64_t t = side ? S - 1 - i : i;
        meet(threads);
        if (i) product(&U, h, D, B, sums, row, me, threads);
        meet(threads);
        for (SHARE(b, B, me, threads)) {
            const int64_t n = (b * S + t) * 2 + side;
            if (s->mask[b * S + t]) {
                float *gates = s->gates + n * 4 * D;
                lstm(D, gates, sums + b * row, c + b * D, c + b * D, h + b * D, gates);
                memcpy(s->cells + n * D, c + b * D, D * sizeof(float));
                memcpy(s->states + n * D, h + b * D, D * sizeof(float));
            } else memset(s->states + n * D, 0, D * sizeof(float));
        }
    }
    meet(threads);
    for (SHARE(b, B, me, threads)) memcpy(s->last + (b * 2 + side) * D, h + b * D, D * sizeof(float));
}

static void read_back(const BidirectionalLstmCall *s, int64_t side, int64_t me, int64_t threads) {
    const int64_t B = s->batch, S = s->places, D = s->width, row = whole(D);
    const Strips U = {s->work + side * size_of_side(s), 4 * D, D};
    float *sums = U.at + row * 4 * D, *d_sums = sums + B * row, *d_h = d_sums + B * 4 * D, *d_c = d_h + B * D;
    float *nothing = d_c + B * D;
    lay_across(&U, 0, side ? s->U_left : s->U_right, D, D, me, threads);
    for (SHARE(b, B, me, threads)) {
        memcpy(d_h + b * D, s->last + (b * 2 + side) * D, D * sizeof(float));
        memset(d_c + b * D, 0, D * sizeof(float));
        memset(nothing + b * D, 0, D * sizeof(float));
    }
    for (int64_t i = 0; i < S; i++) {
        const int64_t t = side ? i : S - 1 - i, before = side ? t + 1 : t - 1;
        for (SHARE(b, B, me, threads)) {
            const int64_t n = (b * S + t) * 2 + side;
            const int goes_on = before >= 0 && before < S && s->mask[b * S + before];
            const float *parts[] = {s->states + n * D, d_h + b * D};
            float *to = d_sums + b * 4 * D;
            if (s->mask[b * S + t])
                lstm_back(D, s->gates + n * 4 * D, goes_on ? s->cells + ((b * S + before) * 2 + side) * D : nothing + b * D,
                          s->cells + n * D, 2, parts, d_c + b * D, to);
            else memset(to, 0, 4 * D * sizeof(float));
            memcpy(s->d_sums + n * 4 * D, to, 4 * D * sizeof(float));
        }
        if (i == S - 1) break; /* before it there is nothing to learn */
        meet(threads);
        product(&U, d_sums, 4 * D, B, sums, row, me, threads);
        meet(threads);
        for (SHARE(b, B, me, threads))
            if (s->mask[b * S + t]) memcpy(d_h + b * D, sums + b * row, D * sizeof(float));
    }
}

static void share(const BidirectionalLstmCall *s, void (*way)(const BidirectionalLstmCall *, int64_t, int64_t, int64_t), int64_t me, int64_t threads) {
    if (threads == 2) way(s, me, 0, 1);
    else for (int64_t side = 0; side < 2; side++) way(s, side, me, threads);
}

void bidirectional_lstm_forward(const BidirectionalLstmCall *s) {
    PARALLEL(s->threads) share(s, read_along, ME, THREADS);
}

void bidirectional_lstm_backward(const BidirectionalLstmCall *s) {
    PARALLEL(s->threads) share(s, read_back, ME, THREADS);
}
