/* The step of an LSTM decoder in one call: from the last symbols to the scores of the next.

       i, f, g, o = (W x + b) + U [y'; h']    c = f c' + i g,   h = o tanh(c)
       a = softmax(factor h k')               r = a v
       y = tanh(R h + r + b_r),               which is the next step's y', if it is fed

   This is what fast/rnn.py computes in Luong's wiring, without a call of torch for each operation; v
   are its values by the part of the readout that reads them. Lines that go on from the same line share
   U [y'; h'], and lines that wrote the same symbol, at this step or before, share W x + b of the lowest
   layer. Every row is computed by itself and in one order, so what stands in a row does not depend on
   the others. */

#include "beam.h"
#include "lstm_cell.h"
#include "cached_attention.h"
#include "top_symbols.h"

typedef struct { /* one layer */
    LinearWeights below; /* W: by what comes from below */
    LinearWeights past;  /* U: by y', if it is fed to this layer, and h' */
} CellWeights;

typedef struct {
    const CellWeights *cells;
    LinearWeights readout;       /* R */
    LinearWeights narrow;        /* from y to what is scored; without a matrix, y itself */
    LinearWeights scores;        /* to the vocabulary */
    const float *vectors; /* [V, X] */
    int64_t n_cells, width, vector, fed; /* L, D, X, whether y is fed */
    float factor, scale; /* of the scores of places, of the vectors */
} RnnDecoderWeights;

typedef struct { /* W x + b of symbols, found once */
    float *rows;       /* [room, 4 D] */
    int32_t *row_of;   /* [V], where a symbol's stands; -1: nowhere */
    int64_t n, room;
} SymbolCache;

typedef struct {
    int64_t groups, lines, held, places, threads; /* B, and K lines each; M lines before; S */
    const int64_t *rows;        /* [B], which places a group reads */
    const int64_t *symbols;     /* [N], N = B K */
    const int64_t *parents;     /* [N], the line that each goes on from */
    const float *keys, *values; /* [held, S, D] */
    const uint8_t *seen;        /* [held, S], which places there are; none: all */
    float *before;              /* [M, (2 L + 1) D]: h and c of every layer, then y */
    float *after;               /* [N, (2 L + 1) D]: the same behind the step */
    SymbolCache *known;
    float *work;                /* workspace of the size that `turn_size` says */
    float *log_probs;           /* [N, V] */
    const TopSymbols *few;             /* in place of those, if there are any */
} RnnDecodeCall;

typedef struct { /* the parts of the workspace */
    float *inputs, *pasts, *gates, *sums, *said, *read, *written, *narrowed, *weights, *scores;
    int32_t *slots;   /* [M], which of the sums a line before has; -1: none */
    int32_t *parents; /* [P], those that have some */
    int32_t *fresh;   /* [F], symbols that are not known yet */
} Desk;

typedef struct { int64_t parents, fresh; } Counts; /* P and F */

static int has_matrix(const LinearWeights *w) { return w->panels || w->rounded.panels; }

static int64_t set_desk(const RnnDecoderWeights *m, const RnnDecodeCall *t, Desk *desk) {
    const int64_t N = t->groups * t->lines, D = m->width, input = m->vector > D ? m->vector : D;
    const int64_t sizes[] = {N * input, N * 2 * D, N * 4 * D, N * 4 * D, N * D, N * D, N * D,
                             has_matrix(&m->narrow) ? N * m->narrow.out : 0,
                             t->threads * ROWS * t->places, n_held(&m->scores, t->few, N, t->threads),
                             t->held, N, N};
    void **parts[] = {(void **)&desk->inputs,  (void **)&desk->pasts,    (void **)&desk->gates,
                      (void **)&desk->sums,    (void **)&desk->said,     (void **)&desk->read,
                      (void **)&desk->written, (void **)&desk->narrowed, (void **)&desk->weights,
                      (void **)&desk->scores,  (void **)&desk->slots,    (void **)&desk->parents,
                      (void **)&desk->fresh};
    return lay_parts(t->work, 13, sizes, parts);
}

int64_t turn_size(const RnnDecoderWeights *m, const RnnDecodeCall *t) {
    Desk desk;
    return set_desk(m, t, &desk);
}

/* List the lines that are gone on from and the symbols that are new, each of them once. */
static Counts take_stock(const RnnDecoderWeights *m, const RnnDecodeCall *t, const Desk *w) {
    const int64_t N = t->groups * t->lines;
    SymbolCache *known = t->known;
    Counts n = {0, 0};
    if (known->n + N > known->room) { /* forget them all */
        memset(known->row_of, -1, m->scores.out * sizeof(int32_t));
        known->n = 0;
    }
    memset(w->slots, -1, t->held * sizeof(int32_t));
    for (int64_t r = 0; r < N; r++) {
        int32_t *slot = w->slots + t->parents[r], *row = known->row_of + t->symbols[r];
        if (*slot < 0) w->parents[n.parents] = (int32_t)t->parents[r], *slot = (int32_t)n.parents++;
        if (*row < 0) w->fresh[n.fresh] = (int32_t)t->symbols[r], *row = (int32_t)(known->n + n.fresh++);
    }
    return n;
}

/* What a line before has for a layer: y', if it is fed to this one, and h'. */
static void recall(const RnnDecoderWeights *m, const RnnDecodeCall *t, const Desk *w, int64_t layer, int64_t i) {
    const int64_t D = m->width, row = (2 * m->n_cells + 1) * D;
    const float *before = t->before + w->parents[i] * row;
    float *to = w->pasts + i * m->cells[layer].past.in;
    if (!layer && m->fed) memcpy(to, before + 2 * m->n_cells * D, D * sizeof(float)), to += D;
    memcpy(to, before + layer * 2 * D, D * sizeof(float));
}

static void tick(const RnnDecoderWeights *m, const RnnDecodeCall *t, const Desk *w, Counts n, int64_t me, int64_t threads) {
    const int64_t N = t->groups * t->lines, D = m->width, row = (2 * m->n_cells + 1) * D;
    for (int64_t layer = 0; layer < m->n_cells; layer++) {
        const CellWeights *cell = m->cells + layer;
        const int64_t X = cell->below.in, n_below = layer ? N : n.fresh;
        for (SHARE(i, n.parents, me, threads)) recall(m, t, w, layer, i);
        for (SHARE(i, n_below, me, threads)) {
            const float *x = layer ? t->after + i * row + (layer - 1) * 2 * D : m->vectors + w->fresh[i] * X;
            const float scale = layer ? 1.0f : m->scale;
            for (int64_t j = 0; j < X; j++) w->inputs[i * X + j] = x[j] * scale;
        }
        BARRIER
        float *below = layer ? w->gates : t->known->rows + t->known->n * 4 * D;
        linear(&cell->below, w->inputs, n_below, 0, 0, below, me, threads);
        linear(&cell->past, w->pasts, n.parents, 0, 0, w->sums, me, threads);
        BARRIER
        for (SHARE(r, N, me, threads)) {
            const float *known = t->known->rows + t->known->row_of[t->symbols[r]] * 4 * D;
            const float *c = t->before + t->parents[r] * row + layer * 2 * D + D;
            const float *sums = w->sums + w->slots[t->parents[r]] * 4 * D;
            float *h = t->after + r * row + layer * 2 * D;
            lstm(D, layer ? w->gates + r * 4 * D : known, sums, c, h + D, h, 0);
            if (layer == m->n_cells - 1) memcpy(w->said + r * D, h, D * sizeof(float));
        }
    }
}

/* Some lines of a source, whose h is `said`, read it. */
INLINE void read_places(const int lines, const RnnDecoderWeights *m, const RnnDecodeCall *t, int64_t held, float *weights,
                        const float *said, float *read) {
    const int64_t D = m->width, S = t->places;
    const uint8_t *seen = t->seen ? t->seen + held * S : 0;
    for (int64_t i = 0; i < S; i += LANES) {
        lanes products[ROWS];
        dots(lines, said, D, t->keys + (held * S + i) * D, D, 0, S - i, D, products);
        UNROLL for (int r = 0; r < lines; r++) put_last(weights + r * S + i, S - i, products[r] * m->factor);
    }
    int64_t kept = seen ? 0 : S;
    for (int64_t i = 0; seen && i < S; i++) {
        kept += seen[i];
        for (int r = 0; r < lines; r++) weights[r * S + i] = seen[i] ? weights[r * S + i] : -INFINITY;
    }
    memset(read, 0, lines * D * sizeof(float));
    for (int r = 0; r < lines && kept; r++) softmax(weights + r * S, S);
    if (kept) gather_all(lines, weights, t->values + held * S * D, D, 0, S, D, read, D);
}
BY_ROWS(read_places, (const RnnDecoderWeights *m, const RnnDecodeCall *t, int64_t held, float *weights, const float *said,
                      float *read), m, t, held, weights, said, read)

static void take_turn(const RnnDecoderWeights *m, const RnnDecodeCall *t, const Desk *w, Counts n, int64_t me, int64_t threads) {
    const int64_t N = t->groups * t->lines, D = m->width, row = (2 * m->n_cells + 1) * D;
    tick(m, t, w, n, me, threads);
    BARRIER
    for (SHARE(b, t->groups, me, threads))
        for (int64_t line = b * t->lines; line < (b + 1) * t->lines; line += ROWS) {
            float *weights = w->weights + me * ROWS * t->places;
            OF_ROWS(read_places, (b + 1) * t->lines - line)
            (m, t, t->rows[b], weights, w->said + line * D, w->read + line * D);
        }
    BARRIER
    linear(&m->readout, w->said, N, w->read, 0, w->written, me, threads);
    BARRIER
    for (SHARE(r, N, me, threads)) {
        float *y = w->written + r * D;
        for (int64_t j = 0; j < D; j += LANES) *at(y + j) = tangent(of(y + j));
        memcpy(t->after + r * row + 2 * m->n_cells * D, y, D * sizeof(float));
    }
    BARRIER
    if (has_matrix(&m->narrow)) {
        linear(&m->narrow, w->written, N, 0, 0, w->narrowed, me, threads);
        BARRIER
    }
    const float *scored = has_matrix(&m->narrow) ? w->narrowed : w->written;
    say(&m->scores, scored, N, t->few, t->few ? w->scores : t->log_probs, me, threads);
}

void turn(const RnnDecoderWeights *m, const RnnDecodeCall *t) {
    Desk desk;
    set_desk(m, t, &desk);
    const Counts n = take_stock(m, t, &desk);
    PARALLEL(t->threads) take_turn(m, t, &desk, n, ME, THREADS);
    t->known->n += n.fresh;
}

/* Take turns and keep the hypotheses of a beam, from its second step on, until every sentence is done, or for
   so many steps; return how many were taken. Both buffers of states hold all lines that there may be. */
int64_t walk_turns(const RnnDecoderWeights *m, RnnDecodeCall *t, BeamState *b, int64_t most) {
    int64_t taken = 0;
    for (; b->going && taken < most; taken++) {
        t->groups = b->going, t->lines = b->width;
        t->rows = b->rows, t->symbols = b->symbols, t->parents = b->index;
        turn(m, t);
        turn_page(b, t->few->gains, t->few->symbols);
        float *before = t->before;
        t->held = t->groups * t->lines, t->before = t->after, t->after = before;
    }
    return taken;
}
