/* Word alignment: co-occurring words, and what EM expects of the models IBM 1, IBM 2 and HMM.

   The cells of a pair are [J, I + 1]: for every target word the entries of the lexicon for the
   empty word and for each source word. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t n_source, n_target;
    const int64_t *begins; /* [n_source + 1] of the pairs where each source word occurs */
    const int32_t *pairs;
    const int64_t *target_begins;
    const int32_t *targets;
    int64_t *rows;  /* [n_source + 1]: written if found is NULL, else read */
    int32_t *found; /* target words beside each source word, ascending */
} CooccurrenceCall;

static int words_ascending(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Count the different target words beside each source word, or write them. Returns -1 without
   memory. */
int64_t cooccurrence(const CooccurrenceCall *call) {
    int32_t *seen = malloc((call->n_target + 1) * sizeof(int32_t)); /* last source word beside it */
    if (!seen) return -1;
    memset(seen, 0xff, (call->n_target + 1) * sizeof(int32_t));
    if (!call->found) call->rows[0] = 0;
    for (int64_t s = 0; s < call->n_source; s++) {
        int64_t n = 0;
        int32_t *own = call->found ? call->found + call->rows[s] : NULL;
        for (int64_t k = call->begins[s]; k < call->begins[s + 1]; k++) {
            const int64_t p = call->pairs[k];
            for (int64_t j = call->target_begins[p]; j < call->target_begins[p + 1]; j++) {
                const int32_t word = call->targets[j];
                if (seen[word] == s) continue;
                seen[word] = (int32_t)s;
                if (own) own[n] = word;
                n++;
            }
        }
        if (own)
            qsort(own, n, sizeof(int32_t), words_ascending);
        else
            call->rows[s + 1] = call->rows[s] + n;
    }
    free(seen);
    return 0;
}

typedef struct {
    int64_t pairs, n_source;
    const int32_t *sources, *targets;
    const int64_t *source_lengths, *target_lengths;
    const int64_t *rows;
    const int32_t *symbols;
    int32_t *cells;
} CellsCall;

/* Find a word in a row; -1 - row if it is not there. */
static int32_t entry_of(const int32_t *symbols, const int64_t *rows, int64_t row, int32_t word) {
    const int64_t begin = rows[row], end = rows[row + 1];
    if (begin == end) return (int32_t)(-1 - row);
    const int32_t *base = symbols + begin;
    int64_t n = end - begin;
    while (n > 1) {
        const int64_t half = n / 2;
        base += (base[half - 1] < word) * half;
        n -= half;
    }
    return (int32_t)(*base == word ? base - symbols : -1 - row);
}

/* Write the cells of pairs; row n_source of the lexicon is that of the empty word. */
void lexicon_cells(const CellsCall *call) {
    const int32_t *source = call->sources, *target = call->targets;
    int32_t *cell = call->cells;
    for (int64_t p = 0; p < call->pairs; p++) {
        const int64_t I = call->source_lengths[p], J = call->target_lengths[p];
        const int64_t *rows = call->rows;
        for (int64_t j = 0; j < J; j++) {
            *cell++ = entry_of(call->symbols, rows, call->n_source, target[j]);
            for (int64_t i = 0; i < I; i++)
                *cell++ = entry_of(call->symbols, rows, source[i], target[j]);
        }
        source += I;
        target += J;
    }
}

typedef struct {
    int64_t pairs, reach, longest;
    double null, tension;
    const int64_t *source_lengths, *target_lengths;
    const int32_t *cells;
    const float *t;
    const double *jumps;  /* [2 reach + 1] */
    double *counts;       /* as t */
    double *likelihoods;  /* [pairs] */
    double *distance;     /* [1], expected of links that are not empty */
    double *linked;       /* of each target word, how likely its link is not empty */
    double *jump_counts;  /* [2 reach + 1] */
    double *origins;      /* [longest + 1, longest + 1], how often a jump began: length, place */
    int32_t *best;        /* of each target word, the likeliest place or -1; NULL: not wanted */
} AlignerCall;

/* Models 1 and 2: every target word chooses its place alone. Returns -1 without memory. */
int64_t aligner_mixture(const AlignerCall *call) {
    double *joint = malloc((call->longest + 1) * sizeof(double));
    double *prior = malloc((call->longest + 1) * sizeof(double));
    if (!joint || !prior) {
        free(joint);
        free(prior);
        return -1;
    }
    const int32_t *cells = call->cells;
    int32_t *best = call->best;
    double *linked = call->linked;
    for (int64_t p = 0; p < call->pairs; p++) {
        const int64_t I = call->source_lengths[p], J = call->target_lengths[p];
        double likelihood = 0;
        for (int64_t j = 0; j < J; j++, cells += I + 1) {
            double whole = 0, sum = 0;
            for (int64_t i = 0; i < I; i++) {
                const double away = fabs((i + 1.0) / I - (j + 1.0) / J);
                whole += prior[i + 1] = call->tension ? exp(-call->tension * away) : 1.0;
            }
            const double null = I == 0 ? 1.0 : call->null < 0 ? 1.0 / (I + 1) : call->null;
            prior[0] = null;
            for (int64_t i = 1; i <= I; i++) prior[i] *= (1 - null) / whole;
            int64_t top = 0;
            for (int64_t i = 0; i <= I; i++) {
                joint[i] = prior[i] * call->t[cells[i]];
                sum += joint[i];
                if (joint[i] > joint[top]) top = i;
            }
            likelihood += log(sum);
            if (best) *best++ = (int32_t)top - 1;
            const double over = sum > 0 ? 1 / sum : 0;
            *linked++ = 1 - joint[0] * over;
            for (int64_t i = 0; i <= I; i++) {
                const double share = joint[i] * over;
                call->counts[cells[i]] += share;
                if (i) *call->distance += share * fabs((double)i / I - (j + 1.0) / J);
            }
        }
        call->likelihoods[p] = likelihood;
    }
    free(joint);
    free(prior);
    return 0;
}

/* What one pair needs: I places and the start before them, J target words. */
typedef struct {
    double *q;      /* [I + 1, I], jumps from the start and from each place */
    double *last;   /* [J + 1, I + 1], how likely each place is the last one looked at, scaled */
    double *scale;  /* [J] */
    double *back;   /* [I + 1] */
    double *before; /* [I + 1] */
    double *seen;   /* [I + 1], of a word: emission times what comes behind */
    double *xi;     /* [I + 1, I] */
} HmmRoom;

static int64_t jump_bucket(int64_t jump, int64_t reach) {
    return jump < -reach ? 0 : jump > reach ? 2 * reach : jump + reach;
}

static void lay_hmm_jumps(const AlignerCall *call, int64_t I, double *q) {
    for (int64_t from = 0; from <= I; from++) {
        double whole = 0, *row = q + from * I;
        for (int64_t i = 0; i < I; i++) {
            row[i] = call->jumps[jump_bucket(i + 1 - from, call->reach)];
            whole += row[i];
        }
        for (int64_t i = 0; i < I; i++)
            row[i] = (1 - call->null) * (whole > 0 ? row[i] / whole : 1.0 / I);
    }
}

/* Go forward over the target; returns the log-likelihood. */
static double hmm_forward(
    const AlignerCall *call, const int32_t *cells, int64_t I, int64_t J, const HmmRoom *room
) {
    double likelihood = 0, *last = room->last;
    memset(last, 0, (I + 1) * sizeof(double));
    last[0] = 1;
    for (int64_t j = 0; j < J; j++, last += I + 1, cells += I + 1) {
        double *next = last + I + 1, sum = 0;
        memset(next, 0, (I + 1) * sizeof(double));
        for (int64_t from = 0; from <= I; from++) {
            const double *q = room->q + from * I, share = last[from];
            if (share == 0) continue;
            for (int64_t i = 0; i < I; i++) next[i + 1] += share * q[i];
        }
        const double empty = (I ? call->null : 1.0) * call->t[cells[0]];
        for (int64_t i = 0; i <= I; i++) {
            if (i) next[i] *= call->t[cells[i]];
            next[i] += last[i] * empty;
            sum += next[i];
        }
        const double over = sum > 0 ? 1 / sum : 0;
        for (int64_t i = 0; i <= I; i++) next[i] *= over;
        room->scale[j] = over;
        likelihood += log(sum);
    }
    return likelihood;
}

/* Go back over the target, and add what is expected at every word. */
static void hmm_backward(
    const AlignerCall *call, const int32_t *cells, int64_t I, int64_t J, const HmmRoom *room,
    int32_t *best
) {
    for (int64_t i = 0; i <= I; i++) room->back[i] = 1;
    memset(room->xi, 0, (I + 1) * I * sizeof(double));
    for (int64_t j = J - 1; j >= 0; j--) {
        const int32_t *cell = cells + j * (I + 1);
        const double *last = room->last + j * (I + 1), *now = last + I + 1;
        const double over = room->scale[j];
        const double empty = (I ? call->null : 1.0) * call->t[cell[0]] * over;
        double none = 0, most = 0;
        int32_t top = -1;
        for (int64_t i = 0; i <= I; i++) {
            const double skipped = last[i] * empty;
            none += skipped * room->back[i];
            if (!i) continue;
            const double share = (now[i] - skipped) * room->back[i];
            const double held = share > 0 ? share : 0; /* rounding may leave less than nothing */
            call->counts[cell[i]] += held;
            if (held > most) {
                most = held;
                top = (int32_t)i - 1;
            }
            room->seen[i] = call->t[cell[i]] * over * room->back[i];
        }
        call->counts[cell[0]] += none;
        if (best) best[j] = none > most ? -1 : top;
        for (int64_t from = 0; from <= I; from++) {
            const double *q = room->q + from * I, share = last[from];
            double *xi = room->xi + from * I, sum = 0;
            for (int64_t i = 0; i < I; i++) {
                const double one = q[i] * room->seen[i + 1];
                sum += one;
                xi[i] += share * one;
            }
            room->before[from] = sum + empty * room->back[from];
        }
        memcpy(room->back, room->before, (I + 1) * sizeof(double));
    }
    for (int64_t from = 0; from <= I; from++)
        for (int64_t i = 0; i < I; i++) {
            const double n = room->xi[from * I + i];
            call->jump_counts[jump_bucket(i + 1 - from, call->reach)] += n;
            call->origins[I * (call->longest + 1) + from] += n;
        }
}

/* The HMM: the place of a word depends on that of the word before. Returns -1 without memory. */
int64_t aligner_hmm(const AlignerCall *call) {
    int64_t most = 0;
    for (int64_t p = 0; p < call->pairs; p++) {
        const int64_t J = call->target_lengths[p];
        if (J > most) most = J;
    }
    const int64_t wide = call->longest + 1;
    double *room = malloc((2 * wide * wide + (most + 1) * wide + most + 3 * wide) * sizeof(double));
    if (!room) return -1;
    HmmRoom rooms = {.q = room, .xi = room + wide * wide, .last = room + 2 * wide * wide};
    rooms.scale = rooms.last + (most + 1) * wide;
    rooms.back = rooms.scale + most;
    rooms.before = rooms.back + wide;
    rooms.seen = rooms.before + wide;
    const int32_t *cells = call->cells;
    int32_t *best = call->best;
    for (int64_t p = 0; p < call->pairs; p++) {
        const int64_t I = call->source_lengths[p], J = call->target_lengths[p];
        lay_hmm_jumps(call, I, rooms.q);
        call->likelihoods[p] = hmm_forward(call, cells, I, J, &rooms);
        hmm_backward(call, cells, I, J, &rooms, best);
        cells += J * (I + 1);
        if (best) best += J;
    }
    free(room);
    return 0;
}
