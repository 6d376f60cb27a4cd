/* The hypotheses of a beam: search/_beam_hypotheses.py in one call a step.

   What a line has written is kept as who wrote it: at every place its symbol and the line it goes on
   from, so that nothing moves when lines change places. Sentences that are done leave at once. */

#include "beam.h"
#include "top_k.h"

/* Set a line aside that wrote END; of equals those that were there before stand first. */
static void complete(const BeamState *b, Completed *all, Completed one) {
    if (!(one.score > all[b->n_completed - 1].score)) return;
    int64_t i = b->n_completed - 1;
    for (; i > 0 && all[i - 1].score < one.score; i--) all[i] = all[i - 1];
    all[i] = one;
}

/* Whether enough is completed, or nothing better can come: `best` is the best line's. */
static int is_enough(const BeamState *b, const Completed *all, int64_t limit, float best) {
    const float worst = all[b->n_best - 1].score;
    int full = all[b->n_completed - 1].score > -INFINITY;
    if (b->patient) full = full && best / b->penalties[b->step + 1] <= worst;
    return full || best / b->penalties[limit + 1] < worst;
}

/* Write one place of a sentence's lines, the i-th of those that go on; or find that it is done. */
static void write_place(const BeamState *b, const float *likely, const int64_t *best_symbols, int64_t i) {
    const int64_t K = b->width, row = b->rows[i], lines = b->step ? K : 1, n_each = b->n_each;
    const int64_t n = 2 * K < lines * n_each ? 2 * K : lines * n_each;
    float totals[n], gains[n], *scores = b->scores + row * K;
    int64_t parents[n], symbols[n], chosen[K], n_chosen = 0, known = 0;
    Completed *all = b->completed + row * b->n_completed;
    for (int64_t k = 0; k < lines; k++) {
        const int64_t first = (i * lines + k) * n_each;
        known = go_on(k, scores[k], likely + first, best_symbols + first, n_each, n, known,
                      &(BeamCandidates){totals, parents, symbols, gains});
    }
    for (int64_t j = 0; j < n; j++) {
        if (symbols[j] != b->end) {
            if (n_chosen < K) chosen[n_chosen++] = j;
        } else if (j < K) {
            const float score = totals[j] / b->penalties[b->step + 1];
            complete(b, all, (Completed){score, gains[j], (int32_t)parents[j], (int32_t)b->step});
        }
    }
    const float best = n_chosen ? totals[chosen[0]] : -INFINITY;
    if (b->limits[row] == b->step || best == -INFINITY || is_enough(b, all, b->limits[row], best)) {
        b->lengths[row] = b->step;
        return;
    }
    Written *place = b->written + (row * b->steps + b->step) * K;
    for (int64_t k = 0; k < K; k++) {
        const int64_t j = k < n_chosen ? chosen[k] : 0; /* where too few can be, some that cannot */
        place[k] = (Written){(int32_t)symbols[j], (int32_t)parents[j], gains[j]};
        scores[k] = k < n_chosen ? totals[j] : -INFINITY;
    }
}

void turn_page(BeamState *b, const float *likely, const int64_t *best_symbols) {
    const int64_t K = b->width, lines = b->step ? K : 1;
    for (int64_t i = 0; i < b->going; i++) write_place(b, likely, best_symbols, i);
    int64_t going = 0;
    b->moved = lines != K;
    for (int64_t i = 0; i < b->going; i++) {
        if (b->lengths[b->rows[i]] >= 0) continue;
        const Written *place = b->written + (b->rows[i] * b->steps + b->step) * K;
        for (int64_t k = 0; k < K; k++) {
            b->symbols[going * K + k] = place[k].symbol;
            b->index[going * K + k] = i * lines + place[k].parent;
            b->moved |= place[k].parent != k;
        }
        b->rows[going++] = b->rows[i];
    }
    b->moved |= going != b->going;
    b->going = going, b->step++;
}
