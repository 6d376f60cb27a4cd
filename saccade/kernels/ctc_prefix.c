/* The prefix beam of CTC: what search/_prefix_beam.py does, a row at a time. The only shaper that has
   a say is a back-off table.

   A prefix is a node of a tree; a table of hashes finds the child of a node. In a frame, those that
   stay are candidates first, then those one label longer by parent and symbol; the best K go on, and
   of equals those that were candidates first. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backoff.h"
#include "simd.h"

typedef struct {
    int64_t rows, places, size, width, threads;
    const float *frames;
    const BackoffWalk *walk; /* or NULL */
    const int64_t *limits;
    int32_t *tokens;
    int64_t *lengths;
    double *scores;
} CtcPrefixCall;

typedef struct {
    int64_t lines, places, size, longest, threads;
    const float *frames;
    const int64_t *rows, *labels, *lengths;
    double *gains;
} CtcSpellingCall;

typedef struct {
    double score, label, total, bonus; /* score: total and bonus */
    int64_t order; /* k of those that stay; width + k V + c of the others */
} CtcCandidate;

typedef struct {
    int64_t node, parent, length, context;
    int32_t last;
    double blank, label, total, bonus;
} CtcEntry;

typedef struct {
    int32_t *parents, *symbols, *slots; /* slots: node or -1 */
    int64_t n, mask;
} CtcTree;

static double log_add(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low - high > -40.0 ? high + log1p(exp(low - high)) : high; /* below half a rounding */
}

static int64_t ctc_child(CtcTree *tree, int64_t node, int32_t symbol) {
    uint64_t at = ((uint64_t)node * 0x9E3779B97F4A7C15u) ^ ((uint64_t)symbol * 0xD1B54A32D192ED03u);
    for (at = (at ^ (at >> 29)) & tree->mask;; at = (at + 1) & tree->mask) {
        const int32_t found = tree->slots[at];
        if (found < 0) {
            tree->parents[tree->n] = (int32_t)node;
            tree->symbols[tree->n] = symbol;
            tree->slots[at] = (int32_t)tree->n;
            return tree->n++;
        }
        if (tree->parents[found] == node && tree->symbols[found] == symbol) return found;
    }
}

/* Whether a is worse than b. */
static int ctc_worse(const CtcCandidate *a, const CtcCandidate *b) {
    return a->score < b->score || (a->score == b->score && a->order > b->order);
}

/* Put a candidate into the heap of the best n, whose worst is on top. */
static int64_t ctc_offer(CtcCandidate *heap, int64_t known, int64_t n, CtcCandidate one) {
    int64_t i;
    if (known < n) {
        for (i = known++; i && ctc_worse(&one, heap + (i - 1) / 2); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
        heap[i] = one;
        return known;
    }
    if (!ctc_worse(heap, &one)) return known;
    for (i = 0;;) {
        int64_t next = 2 * i + 1;
        if (next >= n) break;
        if (next + 1 < n && ctc_worse(heap + next + 1, heap + next)) next++;
        if (!ctc_worse(heap + next, &one)) break;
        heap[i] = heap[next];
        i = next;
    }
    heap[i] = one;
    return known;
}

static int ctc_better_first(const void *a, const void *b) {
    const CtcCandidate *x = a, *y = b;
    return ctc_worse(x, y) ? 1 : ctc_worse(y, x) ? -1 : 0;
}

/* Read one frame: the beam `from` of n entries becomes `to`; its number is returned. */
static int64_t ctc_read_frame(const float *y, const CtcPrefixCall *call, int64_t limit, CtcTree *tree,
                          CtcEntry *from, int64_t n, CtcEntry *to, CtcCandidate *heap, double *stays) {
    const int64_t K = call->width, V = call->size;
    const BackoffWalk *walk = call->walk;
    const double most = walk ? walk->most : 0.0;
    int64_t known = 0;
    for (int64_t j = 0; j < n; j++) { /* what the prefix one shorter gives, if it is here */
        const CtcEntry *e = from + j;
        stays[j] = e->label + (e->last ? y[e->last] : -INFINITY);
        for (int64_t i = 0; i < n; i++)
            if (from[i].node == e->parent && from[i].length < limit) {
                const double before = from[i].last == e->last ? from[i].blank : from[i].total;
                stays[j] = log_add(stays[j], before + y[e->last]);
            }
        const double total = log_add(e->total + y[0], stays[j]), score = total + e->bonus;
        const CtcCandidate one = {score, stays[j], total, e->bonus, j};
        if (score > -INFINITY) known = ctc_offer(heap, known, K, one);
    }
    for (int64_t k = 0; k < n; k++) {
        const CtcEntry *e = from + k;
        if (e->length >= limit) continue;
        for (int64_t c = 1; c < V; c++) {
            double total = e->total + y[c], bonus = e->bonus;
            if (known == K && total + bonus + most < heap[0].score) continue;
            if (c == e->last) total = e->blank + y[c];
            if (total == -INFINITY || (known == K && total + bonus + most < heap[0].score)) continue;
            const float gain = walk ? backoff_gain(walk, e->context, c) : 0.0f;
            const double score = total + bonus + gain;
            if (known == K && score < heap[0].score) continue;
            int64_t here = 0;
            for (int64_t j = 0; j < n && !here; j++) here = from[j].parent == e->node && from[j].last == c;
            const CtcCandidate one = {score, total, total, bonus + gain, K + k * V + c};
            if (!here) known = ctc_offer(heap, known, K, one);
        }
    }
    qsort(heap, known, sizeof(CtcCandidate), ctc_better_first);
    for (int64_t m = 0; m < known; m++) {
        const CtcCandidate *one = heap + m;
        if (one->order < K) {
            to[m] = from[one->order];
            to[m].blank = to[m].total + y[0];
        } else {
            const CtcEntry *e = from + (one->order - K) / V;
            const int32_t c = (int32_t)((one->order - K) % V);
            const int64_t context = walk ? backoff_read(walk, e->context, c) : 0;
            to[m] = (CtcEntry){.node = ctc_child(tree, e->node, c), .parent = e->node, .length = e->length + 1,
                               .context = context, .last = c, .blank = -INFINITY};
        }
        to[m].label = one->label, to[m].total = one->total, to[m].bonus = one->bonus;
    }
    return known;
}

/* Search one row; 1 if there is no memory. */
static int ctc_search_row(const CtcPrefixCall *call, int64_t row) {
    const int64_t K = call->width, S = call->places, V = call->size, most = K * S + 1;
    int64_t slots = 4, n = 1;
    while (slots < 2 * most) slots *= 2;
    CtcTree tree = {malloc(most * sizeof(int32_t)), malloc(most * sizeof(int32_t)),
                 malloc(slots * sizeof(int32_t)), 1, slots - 1};
    CtcEntry *from = malloc(2 * K * sizeof(CtcEntry)), *to = from + K;
    CtcCandidate *heap = malloc(K * sizeof(CtcCandidate));
    double *stays = malloc(K * sizeof(double));
    const int fails = !tree.parents || !tree.symbols || !tree.slots || !from || !heap || !stays;
    if (!fails) {
        CtcEntry *beam = from;
        memset(tree.slots, -1, slots * sizeof(int32_t));
        tree.parents[0] = -1;
        from[0] = (CtcEntry){.parent = -1, .context = call->walk ? call->walk->start : 0, .label = -INFINITY};
        for (int64_t t = 0; t < S; t++) {
            const float *y = call->frames + (row * S + t) * V;
            n = ctc_read_frame(y, call, call->limits[row], &tree, beam, n, to, heap, stays);
            CtcEntry *other = beam;
            beam = to;
            to = other;
        }
        for (int64_t k = 0; k < K; k++) {
            int64_t *length = call->lengths + row * K + k;
            *length = k < n ? beam[k].length : -1;
            if (k >= n) continue;
            call->scores[row * K + k] = beam[k].total + beam[k].bonus;
            int32_t *tokens = call->tokens + (row * K + k) * (S ? S : 1);
            for (int64_t node = beam[k].node, i = *length; i--; node = tree.parents[node])
                tokens[i] = tree.symbols[node];
        }
    }
    free(tree.parents), free(tree.symbols), free(tree.slots), free(from), free(heap), free(stays);
    return fails;
}

/* Search every row; how many had no memory. */
int64_t ctc_prefix(const CtcPrefixCall *call) {
    int64_t failed = 0;
    PARALLEL(call->threads) {
        const int64_t me = ME, threads = THREADS;
        int64_t mine = 0;
        for (SHARE(row, call->rows, me, threads)) mine += ctc_search_row(call, row);
        if (mine) __atomic_add_fetch(&failed, mine, __ATOMIC_RELAXED);
    }
    return failed;
}

/* What every label of one line adds, and END behind them; work holds four times S + 1 numbers. */
static void ctc_spell(const CtcSpellingCall *call, int64_t line, double *work) {
    const int64_t S = call->places, V = call->size, L = call->longest, n = call->lengths[line];
    const float *frames = call->frames + call->rows[line] * S * V;
    double *label = work, *blank = label + S + 1, *new_label = blank + S + 1, *new_blank = new_label + S + 1;
    double before = 0.0, *gains = call->gains + line * (L + 1);
    int64_t last = -1;
    label[0] = -INFINITY;
    blank[0] = 0.0;
    for (int64_t t = 0; t < S; t++) {
        label[t + 1] = -INFINITY;
        blank[t + 1] = blank[t] + frames[t * V];
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t c = call->labels[line * L + i];
        double psi = -INFINITY, *swap;
        new_label[0] = new_blank[0] = -INFINITY;
        for (int64_t t = 0; t < S; t++) {
            const double y = frames[t * V + c];
            const double phi = c == last ? blank[t] : log_add(blank[t], label[t]);
            psi = log_add(psi, phi + y);
            new_label[t + 1] = log_add(new_label[t], phi) + y;
            new_blank[t + 1] = log_add(new_blank[t], new_label[t]) + frames[t * V];
        }
        gains[i] = psi - before;
        before = psi;
        last = c;
        swap = label, label = new_label, new_label = swap;
        swap = blank, blank = new_blank, new_blank = swap;
    }
    gains[n] = log_add(label[S], blank[S]) - before;
}

/* Measure every line; how many had no memory. */
int64_t ctc_spelling(const CtcSpellingCall *call) {
    int64_t failed = 0;
    PARALLEL(call->threads) {
        const int64_t me = ME, threads = THREADS;
        double *work = malloc(4 * (call->places + 1) * sizeof(double));
        if (!work) __atomic_add_fetch(&failed, 1, __ATOMIC_RELAXED);
        for (SHARE(line, call->lines, me, threads))
            if (work) ctc_spell(call, line, work);
        free(work);
    }
    return failed;
}
