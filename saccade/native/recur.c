/* The step of an LSTM decoder in one call: from the last symbols to the scores of the next.

       i, f, g, o = W [x; y'; h'] + b        c = f c' + i g,   h = o tanh(c)
       a = softmax(factor h k')              r = a v
       y = tanh(R [h; r] + b_r),             which is the next step's y', if it is fed

   This is what fast/rnn.py computes in Luong's wiring, without a call of torch for each operation.
   Every row is computed by itself and in one order, so what stands in a row does not depend on the
   others. */

#include "gates.h"
#include "reading.h"

typedef struct {
    const Linear *cells;   /* of each layer W and U side by side */
    Linear readout;        /* R */
    Linear narrow;         /* from y to what is scored; without a matrix, y itself */
    Linear scores;         /* to the vocabulary */
    const float *vectors;  /* [V, X] */
    int64_t n_cells, width, read, vector, fed; /* L, D, C, X, whether y is fed */
    float factor;
} Recurrent;

typedef struct {
    int64_t groups, lines, places, threads; /* B, and K lines each; S */
    const int64_t *rows;        /* [B], which places a group reads */
    const int64_t *symbols;     /* [N], N = B K */
    const float *keys, *values; /* [held, S, D], [held, S, C] */
    const uint8_t *seen;        /* [held, S], which places there are; none: all */
    const float *before;        /* [N, (2 L + 1) D]: h and c of every layer, then y */
    float *after;               /* the same behind the step */
    float *work;                /* room for what `turn_size` says */
    float *log_probs;           /* [N, V] */
} Turn;

typedef struct { /* the parts of the room to work in */
    float *inputs, *sums, *said, *written, *narrowed, *weights, *nothing;
} Desk;

static int has_matrix(const Linear *w) { return w->panels || w->rounded.panels; }

static int64_t set_desk(const Recurrent *m, const Turn *t, Desk *desk) {
    const int64_t N = t->groups * t->lines, D = m->width;
    const int64_t input = m->n_cells > 1 && m->cells[1].in > m->cells[0].in ? m->cells[1].in : m->cells[0].in;
    const int64_t sizes[] = {N * input, N * 4 * D, N * (D + m->read), N * D,
                             has_matrix(&m->narrow) ? N * m->narrow.out : 0,
                             t->threads * ROWS * t->places, 4 * D};
    void **parts[] = {(void **)&desk->inputs,   (void **)&desk->sums,    (void **)&desk->said, (void **)&desk->written,
                      (void **)&desk->narrowed, (void **)&desk->weights, (void **)&desk->nothing};
    return lay_parts(t->work, 7, sizes, parts);
}

int64_t turn_size(const Recurrent *m, const Turn *t) {
    Desk desk;
    return set_desk(m, t, &desk);
}

/* What a cell of a layer reads in a row: what comes from below, then its own h. */
static void give(const Recurrent *m, const Turn *t, const Desk *w, int64_t layer, int64_t r) {
    const int64_t D = m->width, X = m->vector, row = (2 * m->n_cells + 1) * D;
    const float *before = t->before + r * row;
    float *to = w->inputs + r * m->cells[layer].in;
    if (layer) {
        memcpy(to, t->after + r * row + (layer - 1) * 2 * D, D * sizeof(float));
        to += D;
    } else {
        memcpy(to, m->vectors + t->symbols[r] * X, X * sizeof(float));
        to += X;
        if (m->fed) memcpy(to, before + 2 * m->n_cells * D, D * sizeof(float));
        to += m->fed ? D : 0;
    }
    memcpy(to, before + layer * 2 * D, D * sizeof(float));
}

static void tick(const Recurrent *m, const Turn *t, const Desk *w, int64_t me, int64_t threads) {
    const int64_t N = t->groups * t->lines, D = m->width, row = (2 * m->n_cells + 1) * D;
    for (int64_t layer = 0; layer < m->n_cells; layer++) {
        for (SHARE(r, N, me, threads)) give(m, t, w, layer, r);
        BARRIER
        linear(m->cells + layer, w->inputs, N, 0, 0, w->sums, me, threads);
        BARRIER
        for (SHARE(r, N, me, threads)) {
            const int64_t at_h = r * row + layer * 2 * D;
            float *h = t->after + at_h;
            lstm(D, w->sums + r * 4 * D, w->nothing, t->before + at_h + D, h + D, h);
            if (layer == m->n_cells - 1) memcpy(w->said + r * (D + m->read), h, D * sizeof(float));
        }
    }
}

/* Some lines of a source read it: `said` holds h of each, and behind it what was read. */
INLINE void read_places(const int lines, const Recurrent *m, const Turn *t, int64_t held, float *weights,
                        float *said) {
    const int64_t D = m->width, C = m->read, S = t->places;
    const uint8_t *seen = t->seen ? t->seen + held * S : 0;
    for (int64_t i = 0; i < S; i += LANES) {
        lanes products[ROWS];
        dots(lines, said, D + C, t->keys + (held * S + i) * D, D, 0, S - i, D, products);
        UNROLL for (int r = 0; r < lines; r++) put_last(weights + r * S + i, S - i, products[r] * m->factor);
    }
    int64_t kept = seen ? 0 : S;
    for (int64_t i = 0; seen && i < S; i++) {
        kept += seen[i];
        for (int r = 0; r < lines; r++) weights[r * S + i] = seen[i] ? weights[r * S + i] : -INFINITY;
    }
    for (int r = 0; r < lines; r++) {
        memset(said + r * (D + C) + D, 0, C * sizeof(float));
        if (kept) softmax(weights + r * S, S);
    }
    if (kept) gather_all(lines, weights, t->values + held * S * C, C, 0, S, C, said + D, D + C);
}
BY_ROWS(read_places, (const Recurrent *m, const Turn *t, int64_t held, float *weights, float *said),
        m, t, held, weights, said)

static void take_turn(const Recurrent *m, const Turn *t, int64_t me, int64_t threads) {
    const int64_t N = t->groups * t->lines, D = m->width, row = (2 * m->n_cells + 1) * D;
    Desk w;
    set_desk(m, t, &w);
    for (SHARE(j, 4 * D, me, threads)) w.nothing[j] = 0.0f;
    tick(m, t, &w, me, threads);
    BARRIER
    for (SHARE(b, t->groups, me, threads))
        for (int64_t line = b * t->lines; line < (b + 1) * t->lines; line += ROWS) {
            float *said = w.said + line * (D + m->read), *weights = w.weights + me * ROWS * t->places;
            OF_ROWS(read_places, (b + 1) * t->lines - line)(m, t, t->rows[b], weights, said);
        }
    BARRIER
    linear(&m->readout, w.said, N, 0, 0, w.written, me, threads);
    BARRIER
    for (SHARE(r, N, me, threads)) {
        float *y = w.written + r * D;
        for (int64_t j = 0; j < D; j += LANES) *at(y + j) = tangent(of(y + j));
        memcpy(t->after + r * row + 2 * m->n_cells * D, y, D * sizeof(float));
    }
    BARRIER
    if (has_matrix(&m->narrow)) {
        linear(&m->narrow, w.written, N, 0, 0, w.narrowed, me, threads);
        BARRIER
    }
    log_probabilities(&m->scores, has_matrix(&m->narrow) ? w.narrowed : w.written, N, t->log_probs, me, threads);
}

void turn(const Recurrent *m, const Turn *t) {
    PARALLEL(t->threads) take_turn(m, t, ME, THREADS);
}
