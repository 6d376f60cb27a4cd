/* Stacks of hypotheses by the number of covered words: what search/_stacks.py does, in the same order
   and with the same sums, a sentence at a time. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"

typedef struct {
    int64_t gap;
    uint64_t beyond;
    int64_t begin, stop, left, context, length, covered; /* left: where a swap would end, or -1 */
    double score, total;
    int64_t arcs, last; /* first and last of a list, or -1 */
} Partial;

typedef struct {
    int64_t parent, option, next;
    double gain;
} Arc;

typedef struct {
    double total, behind;
    int64_t hypothesis, option, next; /* next: the entry behind it, or -1 */
} Entry;

typedef struct {
    double total;
    int64_t at;
} Ranked;

typedef struct {
    const StackCall *call;
    int64_t row, n;
    Outlook out;
    double *heaps, *tops;    /* heaps: the width best totals of each stack */
    int64_t *sizes, *counts; /* of heaps; made, recombined, skipped and kept of each stack */
    Partial *made;
    Arc *arcs;
    int64_t *slots, *kept;
    Ranked *ranked;
    int64_t n_made, room, n_arcs, arc_room, mask, n_kept, failed;
} Search;

static int grow(void **memory, int64_t *room, int64_t wanted, size_t size) {
    if (wanted <= *room) return 0;
    const int64_t next = wanted > 2 * *room ? wanted : 2 * *room;
    void *more = realloc(*memory, (size_t)next * size);
    if (!more) return 1;
    *memory = more;
    *room = next;
    return 0;
}

static int behind(Search *s, int64_t n, double total) {
    const int64_t width = s->call->width;
    if (s->call->walk->weight < 0 || !s->sizes[n]) return 0;
    const int late = s->sizes[n] == width && total < s->heaps[n * width];
    if (!late && !(total < s->tops[n] - s->call->threshold)) return 0;
    s->counts[4 * n + 2]++;
    return 1;
}

/* Remember the best totals of a stack, in a heap whose least is on top. */
static void note(Search *s, int64_t n, double total) {
    const int64_t width = s->call->width;
    double *heap = s->heaps + n * width;
    int64_t size = s->sizes[n], i;
    if (total > s->tops[n]) s->tops[n] = total;
    if (size < width) {
        for (i = s->sizes[n]++; i && total < heap[(i - 1) / 2]; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
        heap[i] = total;
    } else if (total > heap[0]) {
        for (i = 0; 2 * i + 1 < size;) {
            int64_t child = 2 * i + 1;
            if (child + 1 < size && heap[child + 1] < heap[child]) child++;
            if (heap[child] >= total) break;
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = total;
    }
}

static uint64_t mixed(const Partial *p) {
    uint64_t h = (uint64_t)p->gap * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29) ^ p->beyond) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 31) ^ (uint64_t)p->stop) * 0x94D049BB133111EBu;
    h = (h ^ (h >> 29) ^ (uint64_t)(p->left + 1)) * 0xD1B54A32D192ED03u;
    h = (h ^ (h >> 31) ^ (uint64_t)p->context) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 32);
}

static int same(const Partial *a, const Partial *b) {
    return a->gap == b->gap && a->beyond == b->beyond && a->stop == b->stop && a->left == b->left &&
           a->context == b->context;
}

static int64_t *slot_of(Search *s, const Partial *one) {
    for (uint64_t at = mixed(one) & s->mask;; at = (at + 1) & s->mask)
        if (s->slots[at] < 0 || same(s->made + s->slots[at], one)) return s->slots + at;
}

static int widen(Search *s) {
    const int64_t size = 2 * (s->mask + 1);
    int64_t *slots = malloc((size_t)size * sizeof *slots);
    if (!slots) return 1;
    free(s->slots);
    s->slots = slots;
    s->mask = size - 1;
    memset(slots, 0xff, (size_t)size * sizeof *slots);
    for (int64_t h = 1; h < s->n_made; h++) *slot_of(s, s->made + h) = h;
    return 0;
}

static void add(Search *s, Partial next, Arc arc) {
    if (grow((void **)&s->arcs, &s->arc_room, s->n_arcs + 1, sizeof *s->arcs) ||
        grow((void **)&s->made, &s->room, s->n_made + 1, sizeof *s->made) ||
        (2 * s->n_made > s->mask && widen(s))) {
        s->failed = 1;
        return;
    }
    const int64_t a = s->n_arcs++, n = next.covered;
    int64_t *slot = slot_of(s, &next);
    s->arcs[a] = arc;
    s->arcs[a].next = -1;
    if (*slot < 0) {
        next.arcs = next.last = a;
        *slot = s->n_made;
        s->made[s->n_made++] = next;
        s->counts[4 * n]++;
        note(s, n, next.total);
        return;
    }
    s->counts[4 * n + 1]++;
    Partial *other = s->made + *slot;
    if (next.score > other->score) {
        s->arcs[a].next = other->arcs;
        next.arcs = a;
        next.last = other->last;
        *other = next;
    } else {
        s->arcs[other->last].next = a;
        other->last = a;
    }
}

static void write_option(Search *s, int64_t h, int64_t o, uint64_t covered, int64_t jump) {
    const StackCall *call = s->call;
    const Partial here = s->made[h];
    const int64_t begin = call->spans[2 * o], stop = call->spans[2 * o + 1];
    const int64_t first = call->begins[o], last = call->begins[o + 1];
    if (here.length + last - first > call->limits[s->row]) return;
    const int64_t shift = __builtin_ctzll(~covered);
    Partial next = {.gap = here.gap + shift, .beyond = covered >> shift, .begin = begin, .stop = stop};
    next.covered = next.gap + __builtin_popcountll(next.beyond);
    next.length = here.length + last - first;
    const int64_t turn = begin == here.stop ? 0 : stop == here.begin ? 1 : 2;
    double gain = call->scores[o] + call->turns[3 * o + turn];
    gain += call->jumps[jump];
    const double future = outlook(&s->out, next.gap, next.beyond);
    next.context = here.context;
    for (int64_t w = first; w < last; w++) {
        if (behind(s, next.covered, here.score + gain + future)) return;
        gain += stack_read(call->walk, &next.context, call->words[w]);
    }
    next.score = here.score + gain;
    next.total = next.score + future;
    if (behind(s, next.covered, next.total)) return;
    const int open = begin > next.gap && !(next.beyond >> (begin - 1 - next.gap) & 1);
    next.left = open ? begin : -1;
    add(s, next, (Arc){h, o, -1, gain});
}

static void extend(Search *s, int64_t h) {
    const StackCall *call = s->call;
    const int64_t gap = s->made[h].gap, stop = s->made[h].stop, reach = call->reach;
    const uint64_t beyond = s->made[h].beyond;
    for (int64_t begin = gap; begin < s->n && begin <= gap + reach; begin++) {
        const int64_t jump = begin > stop ? begin - stop : stop - begin;
        if (beyond >> (begin - gap) & 1 || jump > reach) continue;
        for (int64_t o = s->out.at[begin]; o < s->out.at[begin + 1] && !s->failed; o++) {
            const int64_t end = call->spans[2 * o + 1];
            if (begin > gap && end - gap > reach) break; /* the gap would be out of reach */
            const uint64_t bits = (((uint64_t)1 << (end - begin)) - 1) << (begin - gap);
            if (beyond & bits) break;
            write_option(s, h, o, beyond | bits, jump);
        }
    }
}

static int by_total(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* List the hypotheses of a stack that are followed, best first. */
static void prune(Search *s, int64_t n) {
    int64_t count = 0;
    s->n_kept = 0;
    for (int64_t h = 0; h < s->n_made; h++)
        if (s->made[h].covered == n) count++;
    Ranked *ranked = realloc(s->ranked, (size_t)(count + 1) * sizeof *ranked);
    if (!ranked) {
        s->failed = 1;
        return;
    }
    s->ranked = ranked;
    count = 0;
    for (int64_t h = 0; h < s->n_made; h++)
        if (s->made[h].covered == n) ranked[count++] = (Ranked){s->made[h].total, h};
    qsort(ranked, (size_t)count, sizeof *ranked, by_total);
    for (int64_t i = 0; i < count && i < s->call->width; i++)
        if (ranked[i].total >= ranked[0].total - s->call->threshold) s->kept[s->n_kept++] = ranked[i].at;
    s->counts[4 * n] = count;
    s->counts[4 * n + 3] = s->n_kept;
}

static int before(const Entry *pool, int64_t a, int64_t b) { /* entries are numbered as they come */
    return pool[a].total > pool[b].total || (pool[a].total == pool[b].total && a < b);
}

static void sift(int64_t *heap, int64_t n, const Entry *pool) {
    int64_t i = 0, one = heap[n];
    while (2 * i + 1 < n) {
        int64_t child = 2 * i + 1;
        if (child + 1 < n && before(pool, heap[child + 1], heap[child])) child++;
        if (!before(pool, heap[child], one)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = one;
}

static int push(Entry **pool, int64_t *room, int64_t **heap, int64_t *heap_room, int64_t *sizes, Entry one) {
    if (grow((void **)pool, room, sizes[0] + 1, sizeof **pool)) return 1;
    if (grow((void **)heap, heap_room, sizes[1] + 2, sizeof **heap)) return 1;
    (*pool)[sizes[0]] = one;
    int64_t i;
    for (i = sizes[1]++; i && before(*pool, sizes[0], (*heap)[(i - 1) / 2]); i = (i - 1) / 2)
        (*heap)[i] = (*heap)[(i - 1) / 2];
    (*heap)[i] = sizes[0]++;
    return 0;
}

/* Write the best paths: A* from behind, which knows what stands before. */
static void find_paths(Search *s, int finished) {
    const StackCall *call = s->call;
    Entry *pool = NULL;
    int64_t *heap = NULL, room = 0, heap_room = 0, sizes[2] = {0, 0}, found = 0;
    for (int64_t i = 0; i < (finished ? s->n_kept : 1); i++) {
        int64_t context = s->made[s->kept[i]].context;
        const double gain = finished ? stack_read(call->walk, &context, call->end) : 0.0;
        const Entry one = {s->made[s->kept[i]].score + gain, gain, s->kept[i], -1, -1};
        if (push(&pool, &room, &heap, &heap_room, sizes, one)) s->failed = 1;
    }
    while (sizes[1] && found < call->n_best && !s->failed) {
        const int64_t top = heap[0];
        sizes[1]--;
        if (sizes[1]) sift(heap, sizes[1], pool);
        const Entry one = pool[top];
        if (s->made[one.hypothesis].arcs < 0) {
            int64_t *path = call->paths + (s->row * call->n_best + found) * (call->longest ? call->longest : 1);
            int64_t n = 0;
            for (int64_t e = top; pool[e].next >= 0; e = pool[e].next) path[n++] = pool[e].option;
            call->sizes[s->row * call->n_best + found] = n;
            call->totals[s->row * call->n_best + found++] = one.total;
            continue;
        }
        for (int64_t a = s->made[one.hypothesis].arcs; a >= 0 && !s->failed; a = s->arcs[a].next) {
            const Arc arc = s->arcs[a];
            const double further = arc.gain + one.behind;
            const Entry more = {s->made[arc.parent].score + further, further, arc.parent, arc.option, top};
            if (push(&pool, &room, &heap, &heap_room, sizes, more)) s->failed = 1;
        }
    }
    free(pool);
    free(heap);
}

static void run(Search *s) {
    const StackCall *call = s->call;
    Partial root = {.left = -1, .context = call->walk->start, .arcs = -1, .last = -1};
    root.total = outlook(&s->out, 0, 0);
    s->made[s->n_made++] = root;
    for (int64_t n = 0; n < s->n && !s->failed; n++) {
        prune(s, n);
        for (int64_t i = 0; i < s->n_kept && !s->failed; i++) extend(s, s->kept[i]);
    }
    int64_t last = s->n;
    if (!s->failed) prune(s, last);
    call->finished[s->row] = s->n_kept > 0;
    while (!s->failed && !s->n_kept) prune(s, --last);
    if (!s->failed) find_paths(s, last == s->n);
    memcpy(call->stacks + s->row * (call->longest + 1) * 4, s->counts, (size_t)(s->n + 1) * 4 * sizeof *s->counts);
}

static int64_t cover_row(const StackCall *call, int64_t row) {
    const int64_t n = call->lengths[row], room = 1024;
    Search s = {.call = call, .row = row, .n = n, .room = room, .arc_room = room, .mask = 4 * room - 1};
    s.failed = outlook_open(&s.out, call, row);
    s.heaps = malloc((size_t)(n + 1) * (size_t)call->width * sizeof *s.heaps);
    s.tops = malloc((size_t)(n + 1) * sizeof *s.tops);
    s.sizes = calloc((size_t)(n + 1), sizeof *s.sizes);
    s.counts = calloc((size_t)(n + 1) * 4, sizeof *s.counts);
    s.made = malloc((size_t)room * sizeof *s.made);
    s.arcs = malloc((size_t)room * sizeof *s.arcs);
    s.slots = malloc((size_t)(s.mask + 1) * sizeof *s.slots);
    s.kept = malloc((size_t)call->width * sizeof *s.kept);
    s.failed |= !(s.heaps && s.tops && s.sizes && s.counts && s.made && s.arcs && s.slots && s.kept);
    if (!s.failed) {
        memset(s.slots, 0xff, (size_t)(s.mask + 1) * sizeof *s.slots);
        for (int64_t i = 0; i <= n; i++) s.tops[i] = NEVER;
        run(&s);
    }
    outlook_close(&s.out);
    free(s.heaps), free(s.tops), free(s.sizes), free(s.counts);
    free(s.made), free(s.arcs), free(s.slots), free(s.kept), free(s.ranked);
    return s.failed;
}

/* Cover all sentences; not 0 if there was not memory enough. */
int64_t stack_cover(const StackCall *call) {
    for (int64_t row = 0; row < call->rows; row++)
        if (cover_row(call, row)) return 1;
    return 0;
}
