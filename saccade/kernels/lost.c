/* Products of vectors that stand in many places and have lost other numbers in each.

       x[n] = rows[which[n]], with zeros in lost[n]

       W x[n] = W rows[which[n]] - sum_{k in lost[n]} rows[which[n], k] W[:, k]

   The first part is found once for all places of a row, outside. What is lost is little, so the second
   part is too; going back, the gradients of the matrix and of the rows are corrected in the same way.
   The threads share the outputs, some at a time: as many columns of W' as stay in the innermost cache. */

#include <string.h>

#include "chance.h"

enum { COLUMNS = 32, VECTORS = COLUMNS / LANES, AHEAD = 8 };

typedef struct {
    int64_t places, rows, in, out, threads; /* N, P, X, Y */
    const int64_t *which; /* [N]: the row of each place */
    int64_t *lists;       /* [N + 1, 2]: where that of a place begins and ends */
    int16_t *lost;        /* by places: k, filled up with zeros */
    float *values;        /* what stood there in its row, filled up with zeros */
    int64_t *turned;      /* [X + 1]: where the list of places that lost k begins */
    int32_t *where;       /* by k: n */
    float *stood;         /* by k: what stood there */
    const float *W;       /* [Y, X], rows W_row apart */
    int64_t W_row;
    float *each; /* [P, Y]: W x + b of rows; going back, the gradients of their places added up */
    float *y;    /* [N, Y]: of places; going back, its gradient */
    float *d_W;  /* [Y, X]: what to add to the gradient by rows; its rows are d_W_row apart */
    int64_t d_W_row;
    float *d_x; /* [P, X], the same */
    float *work;
} Lost;

/* List the bits that are set in each of 256 bytes. */
static void list_bits(uint8_t bits_of[256][8]) {
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, n = 0; bit < 8; bit++)
            if (byte >> bit & 1) bits_of[byte][n++] = (uint8_t)bit;
}

/* List what is lost of `in` numbers from `place` on; return where the list ends. */
static int64_t list_place(const Chance *chance, uint8_t bits_of[256][8], int64_t place, int64_t in, int16_t *lost,
                          int64_t n) {
    for (int64_t k = 0; k < in; k += LANES) {
        uint32_t some = lost_of(chance, place + k);
        if (in - k < LANES) some &= (1u << (in - k)) - 1;
        for (int64_t first = k; first < k + LANES; first += 8, some >>= 8) {
            UNROLL for (int j = 0; j < 8; j++) lost[n + j] = (int16_t)(first + bits_of[some & 255][j]);
            n += __builtin_popcount(some & 255);
        }
    }
    return n;
}

/* List by k what is listed by places; `turned` says how often each k is. */
static void turn_lists(const Lost *s) {
    int64_t begin = 0;
    for (int64_t k = 0; k <= s->in; k++) {
        const int64_t n = s->turned[k];
        s->turned[k] = begin, begin += n;
    }
    for (int64_t n = 0; n < s->places; n++)
        for (int64_t i = s->lists[2 * n]; i < s->lists[2 * n + 1]; i++) {
            const int64_t to = s->turned[s->lost[i]]++;
            s->where[to] = (int32_t)n, s->stood[to] = s->values[i];
        }
    memmove(s->turned + 1, s->turned, s->in * sizeof(int64_t)); /* where one ends the next begins */
    s->turned[0] = 0;
}

/* List what is lost of x [P, X]: chance counts the numbers of place n from X order[n] on. A row that
   stands in one place alone is not listed, but taken from by `mask` [P, X]. */
void list_lost(const Lost *s, const float *x, const int64_t *order, const int64_t *counts, Chance chance, float *mask) {
    int64_t end = 0;
    uint8_t bits_of[256][8] = {{0}};
    list_bits(bits_of);
    memset(s->turned, 0, (s->in + 1) * sizeof(int64_t));
    for (int64_t n = 0; n < s->places; n++) {
        const int64_t row = s->which[n] * s->in, begin = end;
        end = list_place(&chance, bits_of, order[n] * s->in, s->in, s->lost, end);
        if (counts[s->which[n]] == 1)
            while (end > begin) mask[row + s->lost[--end]] = 0.0f;
        s->lists[2 * n] = begin, s->lists[2 * n + 1] = end;
        for (int64_t i = begin; i < end; i++) {
            s->values[i] = chance.scale * x[row + s->lost[i]];
            s->turned[s->lost[i]]++;
        }
        for (; end % LANES; end++) s->lost[end] = 0, s->values[end] = 0.0f;
    }
    s->lists[2 * s->places] = end;
    turn_lists(s);
}

/* For each thread: columns, what becomes of rows and of places there, and of all that was lost. */
static int64_t size_of_share(const Lost *s) {
    return (s->in + s->rows + s->places) * COLUMNS + s->lists[2 * s->places];
}

int64_t lost_size(const Lost *s) { return s->threads * size_of_share(s); }

static void take_columns(const Lost *s, int64_t first, float *to) {
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t k = 0; k < s->in; k++) to[k * COLUMNS + j] = s->W[(first + j) * s->W_row + k];
}

/* Rows of all outputs stand so far apart that they share a way of the cache; `ahead` asks for them. */
#define ASK_FOR(ahead, writes) \
    UNROLL for (int asked = 0; asked < COLUMNS; asked += 16) __builtin_prefetch((ahead) + asked, writes, 3)

static void take_rows(const Lost *s, int64_t first, float *to) {
    for (int64_t p = 0; p < s->rows; p++) {
        const float *each = s->each + p * s->out + first;
        ASK_FOR(each + AHEAD * s->out, 0);
        memcpy(to + p * COLUMNS, each, COLUMNS * sizeof(float));
    }
}

/* Rows to their places, without what is lost there. */
static void put_places(const Lost *s, int64_t first, const float *columns, const float *rows) {
    for (int64_t n = 0; n < s->places; n++) {
        const float *all = rows + s->which[n] * COLUMNS;
        float *y = s->y + n * s->out + first;
        ASK_FOR(y + AHEAD * s->out, 1);
        lanes sums[2][VECTORS]; /* of every other number: no sum waits for what was taken from it last */
        UNROLL for (int v = 0; v < VECTORS; v++) sums[0][v] = of(all + v * LANES), sums[1][v] = (lanes){0};
        for (int64_t i = s->lists[2 * n]; i < s->lists[2 * n + 1]; i += 2)
            UNROLL for (int j = 0; j < 2; j++) {
                const float *column = columns + s->lost[i + j] * COLUMNS, value = s->values[i + j];
                UNROLL for (int v = 0; v < VECTORS; v++) sums[j][v] -= value * of(column + v * LANES);
            }
        UNROLL for (int v = 0; v < VECTORS; v++) *at(y + v * LANES) = sums[0][v] + sums[1][v];
    }
}

void lost_forward(const Lost *s) {
    PARALLEL(s->threads) {
        const int64_t me = ME, threads = THREADS;
        float *columns = s->work + me * size_of_share(s), *rows = columns + s->in * COLUMNS;
        for (SHARE(c, s->out / COLUMNS, me, threads)) {
            take_columns(s, c * COLUMNS, columns);
            take_rows(s, c * COLUMNS, rows);
            put_places(s, c * COLUMNS, columns, rows);
        }
    }
}

/* The gradients of places side by side, and added up for each row. */
static void take_places(const Lost *s, int64_t first, float *rows, float *to) {
    memset(rows, 0, s->rows * COLUMNS * sizeof(float));
    for (int64_t n = 0; n < s->places; n++) {
        const float *d_y = s->y + n * s->out + first;
        float *row = rows + s->which[n] * COLUMNS;
        ASK_FOR(d_y + AHEAD * s->out, 0);
        UNROLL for (int v = 0; v < VECTORS; v++)
            *at(row + v * LANES) += *at(to + n * COLUMNS + v * LANES) = of(d_y + v * LANES);
    }
    for (int64_t p = 0; p < s->rows; p++)
        memcpy(s->each + p * s->out + first, rows + p * COLUMNS, COLUMNS * sizeof(float));
}

static void back_to_columns(const Lost *s, int64_t first, const float *places, float *columns) {
    for (int64_t k = 0; k < s->in; k++) {
        const int64_t end = s->turned[k + 1];
        lanes sums[2][VECTORS] = {{{0}}};
        for (int64_t i = s->turned[k]; i < end; i += 2)
            UNROLL for (int j = 0; j < 2; j++) {
                const float *d_y = places + s->where[i + j < end ? i + j : i] * COLUMNS;
                const float value = i + j < end ? s->stood[i + j] : 0.0f;
                UNROLL for (int v = 0; v < VECTORS; v++) sums[j][v] -= value * of(d_y + v * LANES);
            }
        UNROLL for (int v = 0; v < VECTORS; v++) *at(columns + k * COLUMNS + v * LANES) = sums[0][v] + sums[1][v];
    }
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t k = 0; k < s->in; k++) s->d_W[(first + j) * s->d_W_row + k] = columns[k * COLUMNS + j];
}

/* What the numbers that were lost would have got from some columns. */
static void back_to_lost(const Lost *s, const float *columns, const float *places, float *got) {
    for (int64_t n = 0; n < s->places; n++) {
        lanes d_y[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) d_y[v] = of(places + n * COLUMNS + v * LANES);
        for (int64_t i = s->lists[2 * n]; i < s->lists[2 * n + 1]; i += LANES) {
            lanes sums[LANES];
            UNROLL for (int j = 0; j < LANES; j++) {
                const float *column = columns + s->lost[i + j] * COLUMNS;
                sums[j] = d_y[0] * of(column);
                UNROLL for (int v = 1; v < VECTORS; v++) sums[j] += d_y[v] * of(column + v * LANES);
            }
            *at(got + i) += totals(sums);
        }
    }
}

/* Take from the gradients of rows what those numbers would have got from all columns. */
static void take_away(const Lost *s) {
    const float *got = s->work + size_of_share(s) - s->lists[2 * s->places]; /* at the end of each share */
    memset(s->d_x, 0, s->rows * s->in * sizeof(float));
    for (int64_t n = 0; n < s->places; n++)
        for (int64_t i = s->lists[2 * n]; i < s->lists[2 * n + 1]; i++) {
            float sum = 0.0f;
            for (int64_t share = 0; share < s->threads; share++) sum += got[share * size_of_share(s) + i];
            s->d_x[s->which[n] * s->in + s->lost[i]] -= sum;
        }
}

void lost_backward(const Lost *s) {
    memset(s->work, 0, lost_size(s) * sizeof(float)); /* also of threads that there are none of */
    PARALLEL(s->threads) {
        const int64_t me = ME, threads = THREADS;
        float *columns = s->work + me * size_of_share(s), *rows = columns + s->in * COLUMNS;
        float *places = rows + s->rows * COLUMNS, *got = places + s->places * COLUMNS;
        for (SHARE(c, s->out / COLUMNS, me, threads)) {
            take_places(s, c * COLUMNS, rows, places);
            back_to_columns(s, c * COLUMNS, places, columns);
            take_columns(s, c * COLUMNS, columns);
            back_to_lost(s, columns, places, got);
        }
    }
    take_away(s);
}
