/* Writing a given text by phrases: what search/_forced.py does, in the same order. */

#include <stdlib.h>
#include <string.h>

#include "stack.h"

typedef struct {
    const StackCall *options; /* of which `end` and `width` count too */
    int64_t row, length, size;
    const int64_t *text;
    double *values; /* [length + 1, size] */
    int64_t *path, *n_path;
} FollowCall;

typedef struct {
    int64_t gap;
    uint64_t beyond;
    int64_t begin, stop, left, parent, option, next; /* next: of the same place of the text, or -1 */
    double score, total;
} Held;

typedef struct {
    double *rest; /* [longest phrase], of the language model */
    int64_t alike, place; /* the place of the text it was said at */
} Spoken;

typedef struct {
    const FollowCall *call;
    Outlook out;
    Held *held;
    int64_t n_held, room, *firsts, *lasts, failed; /* of each place of the text, or -1 */
    Spoken *spoken;
    double *sums;
} Follow;

typedef struct {
    double total;
    int64_t at, order;
} RankedHeld;

static int by_rank(const void *a, const void *b) {
    const RankedHeld *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void hold_path(Follow *f, int64_t place, Held one) {
    for (int64_t h = f->firsts[place]; h >= 0; h = f->held[h].next) {
        Held *other = f->held + h;
        if (other->gap == one.gap && other->beyond == one.beyond && other->stop == one.stop && other->left == one.left) {
            one.next = other->next;
            if (one.score > other->score) *other = one;
            return;
        }
    }
    if (f->n_held == f->room) {
        Held *more = realloc(f->held, (size_t)(2 * f->room) * sizeof *more);
        if (!more) {
            f->failed = 1;
            return;
        }
        f->held = more;
        f->room *= 2;
    }
    one.next = -1;
    f->held[f->n_held] = one;
    if (f->firsts[place] < 0) f->firsts[place] = f->n_held;
    else f->held[f->lasts[place]].next = f->n_held;
    f->lasts[place] = f->n_held++;
}

/* What an option says behind the text before a place. */
static const Spoken *speak(Follow *f, int64_t o, int64_t place, int64_t context) {
    const StackCall *call = f->call->options;
    Spoken *spoken = f->spoken + (o - call->firsts[f->call->row]);
    if (spoken->place == place) return spoken;
    const int64_t *words = call->words + call->begins[o], n = call->begins[o + 1] - call->begins[o];
    for (int64_t k = 0; k < n; k++) spoken->rest[k] = stack_read(call->walk, &context, words[k]);
    double behind = 0.0;
    for (int64_t k = n - 1; k >= 0; k--) {
        behind += spoken->rest[k];
        spoken->rest[k] = behind;
    }
    spoken->alike = 0;
    while (spoken->alike < n && place + spoken->alike < f->call->length && words[spoken->alike] == f->call->text[place + spoken->alike])
        spoken->alike++;
    spoken->place = place;
    return spoken;
}

static void go_further(Follow *f, int64_t h, int64_t o, uint64_t covered, int64_t place, int64_t context) {
    const StackCall *call = f->call->options;
    const Held here = f->held[h];
    const int64_t begin = call->spans[2 * o], stop = call->spans[2 * o + 1];
    const int64_t *words = call->words + call->begins[o], n = call->begins[o + 1] - call->begins[o];
    const Spoken *spoken = speak(f, o, place, context);
    const int64_t turn = begin == here.stop ? 0 : stop == here.begin ? 1 : 2;
    double gain = call->scores[o] + call->turns[3 * o + turn];
    gain += call->jumps[begin > here.stop ? begin - here.stop : here.stop - begin];
    const int64_t shift = __builtin_ctzll(~covered);
    Held next = {.gap = here.gap + shift, .beyond = covered >> shift, .begin = begin, .stop = stop};
    next.score = here.score + gain;
    next.total = next.score + outlook(&f->out, next.gap, next.beyond);
    for (int64_t k = 0; k < n && k <= spoken->alike; k++) {
        double *value = f->call->values + (place + k) * f->call->size + words[k];
        const double found = next.total + spoken->rest[k];
        if (found > *value) *value = found;
    }
    if (spoken->alike < n) return;
    const int open = begin > next.gap && !(next.beyond >> (begin - 1 - next.gap) & 1);
    next.left = open ? begin : -1;
    next.parent = h;
    next.option = o;
    hold_path(f, place + n, next);
}

static void follow_place(Follow *f, int64_t h, int64_t place, int64_t context) {
    const StackCall *call = f->call->options;
    const Held here = f->held[h];
    const int64_t reach = call->reach;
    for (int64_t begin = here.gap; begin < f->out.n && begin <= here.gap + reach; begin++) {
        const int64_t jump = begin > here.stop ? begin - here.stop : here.stop - begin;
        if (here.beyond >> (begin - here.gap) & 1 || jump > reach) continue;
        for (int64_t o = f->out.at[begin]; o < f->out.at[begin + 1] && !f->failed; o++) {
            const int64_t stop = call->spans[2 * o + 1];
            const uint64_t bits = (((uint64_t)1 << (stop - begin)) - 1) << (begin - here.gap);
            if ((begin > here.gap && stop - here.gap > reach) || here.beyond & bits) break;
            go_further(f, h, o, here.beyond | bits, place, context);
        }
    }
}

/* Go along the text; return the hypothesis whose path is wanted. */
static int64_t follow_text(Follow *f) {
    const StackCall *call = f->call->options;
    const int64_t length = f->call->length;
    int64_t context = call->walk->start, furthest = 0, best = -1;
    RankedHeld *ranked = NULL;
    for (int64_t j = 0; j <= length && !f->failed; j++) {
        int64_t n = 0, order = 0;
        for (int64_t h = f->firsts[j]; h >= 0; h = f->held[h].next) n++;
        RankedHeld *more = realloc(ranked, (size_t)(n + 1) * sizeof *ranked);
        if (!more) {
            f->failed = 1;
            break;
        }
        ranked = more;
        for (int64_t h = f->firsts[j]; h >= 0; h = f->held[h].next, order++)
            ranked[order] = (RankedHeld){f->held[h].total, h, order};
        qsort(ranked, (size_t)n, sizeof *ranked, by_rank);
        if (n) furthest = ranked[0].at;
        for (int64_t i = 0; i < n && i < call->width && !f->failed; i++) {
            if (f->held[ranked[i].at].gap < f->out.n) {
                follow_place(f, ranked[i].at, j, context);
                continue;
            }
            int64_t here = context;
            const double ending = f->held[ranked[i].at].score + stack_read(call->walk, &here, call->end);
            double *value = f->call->values + j * f->call->size + call->end;
            if (ending > *value) *value = ending;
        }
        if (j < length) stack_read(call->walk, &context, f->call->text[j]);
    }
    free(ranked);
    for (int64_t h = f->firsts[length]; h >= 0; h = f->held[h].next)
        if (f->held[h].gap == f->out.n && (best < 0 || f->held[h].score > f->held[best].score)) best = h;
    return best < 0 ? furthest : best;
}

static void write_path(const Follow *f, int64_t last) {
    int64_t n = 0;
    for (int64_t h = last; f->held[h].option >= 0; h = f->held[h].parent) n++;
    *f->call->n_path = n;
    for (int64_t h = last; f->held[h].option >= 0; h = f->held[h].parent) f->call->path[--n] = f->held[h].option;
}

/* Write a text by the phrases of one sentence; not 0 if there was not memory enough. */
int64_t stack_follow(const FollowCall *call) {
    const StackCall *options = call->options;
    const int64_t first = options->firsts[call->row], n = options->firsts[call->row + 1] - first;
    Follow f = {.call = call, .room = 256};
    f.failed = outlook_open(&f.out, options, call->row);
    f.held = malloc((size_t)f.room * sizeof *f.held);
    f.firsts = malloc((size_t)(call->length + 1) * sizeof *f.firsts);
    f.lasts = malloc((size_t)(call->length + 1) * sizeof *f.lasts);
    f.spoken = malloc((size_t)(n + 1) * sizeof *f.spoken);
    f.sums = malloc((size_t)(options->begins[first + n] - options->begins[first] + 1) * sizeof *f.sums);
    f.failed |= !(f.held && f.firsts && f.lasts && f.spoken && f.sums);
    if (!f.failed) {
        memset(f.firsts, 0xff, (size_t)(call->length + 1) * sizeof *f.firsts);
        for (int64_t o = 0; o < n; o++)
            f.spoken[o] = (Spoken){f.sums + (options->begins[first + o] - options->begins[first]), 0, -1};
        hold_path(&f, 0, (Held){.left = -1, .parent = -1, .option = -1, .total = outlook(&f.out, 0, 0)});
        const int64_t last = follow_text(&f);
        if (!f.failed) write_path(&f, last);
    }
    outlook_close(&f.out);
    free(f.held), free(f.firsts), free(f.lasts), free(f.spoken), free(f.sums);
    return f.failed;
}
