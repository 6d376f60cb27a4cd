/* The gradient of a matrix that multiplied many rows: a sum of outer products.

       dW (+)= sum_n dy[n] x[n]'

   Some rows at a time: as many columns of x as the second cache holds are laid out in panels, and a
   slice of dy beside them, while what is laid out next is fetched. Of six columns of dy by a panel,
   sums stay in registers until the rows are through, and are added to the gradient then. The threads
   share the columns of dy; every number is summed in one order, whoever sums it. */

#include "strips.h"

enum { SLICE = 48, SIDE = 256, DEEPEST = 384 }; /* columns of dy, columns of x, rows at a time */
enum { OUTER_ROOM = DEEPEST * (SLICE + SIDE) }; /* for each thread */

typedef struct {
    int64_t rows, out, in, threads; /* N, Y, X */
    const float *dy;                /* [N, Y], its rows dy_row apart */
    int64_t dy_row;
    const float *x; /* [N, X] */
    int64_t x_row;
    float *dW; /* [Y, X] */
    int64_t dW_row, onto; /* onto: added to what stands there */
    float *work; /* room for what `outer_size` says */
} Outer;

typedef struct { /* n rows; columns of x; columns of dy from the first to before the end */
    int64_t from, n, column, wide, first, end;
} Block;

/* Whether it is fast here: with shorter vectors BLAS is as fast. */
int64_t outer_pays(void) { return LANES == 16; }

int64_t outer_size(const Outer *s) { return s->threads * OUTER_ROOM; }

/* Columns of n rows in panels, [wide / columns][n][columns], zeros at their end. */
INLINE void lay_columns(const int columns, const float *from, int64_t row, int64_t n, int64_t wide, float *to) {
    for (int64_t k = 0; k < n; k++)
        for (int64_t c = 0; c < wide; c += columns) {
            const float *some = from + k * row + c;
            float *y = to + c * n + k * columns;
            if (wide - c >= columns)
                UNROLL for (int j = 0; j < columns; j += LANES) *at(y + j) = of(some + j);
            else
                for (int64_t j = 0; j < columns; j += LANES) *at(y + j) = last_of(some + j, wide - c - j, 0.0f);
        }
}

/* Some columns of a slice by one panel; of rows that stand `apart` one line each is fetched. */
INLINE void cross(const int rows, const float *slice, const float *panel, int64_t n, const float *ahead,
                  int64_t apart, lanes *y) {
    lanes sums[ROWS][ACROSS];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++) sums[r][v] = (lanes){0};
    BY_FOURS for (int64_t k = 0; k < n; k++) {
        lanes b[ACROSS];
        FETCH(ahead + k * apart);
        UNROLL for (int v = 0; v < ACROSS; v++) {
            b[v] = of(panel + k * STRIP + v * LANES);
            KEEP(b[v]);
        }
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++) sums[r][v] +=
            slice[k * SLICE + r] * b[v];
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < ACROSS; v++) y[r * ACROSS + v] = sums[r][v];
}
BY_ROWS(cross, (const float *slice, const float *panel, int64_t n, const float *ahead, int64_t apart, lanes *y),
        slice, panel, n, ahead, apart, y)

/* Add the sums of a tile to the gradient, or write them. */
INLINE void add_tile(const int all, const lanes *sums, int64_t rows, int64_t wide, int64_t on, float *to,
                     int64_t row) {
    for (int64_t r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < ACROSS; v++) {
            const int64_t n = all ? LANES : wide - v * LANES;
            float *y = to + r * row + v * LANES;
            lanes one = sums[r * ACROSS + v];
            if (on) one += last_of(y, n, 0.0f);
            put_last(y, n, one);
        }
}

/* A slice of dy, from column o on, by all panels. Each tile fetches the part of the gradient that it is
   added to, and the first ones a column of lines each of the slice behind this one. */
static void cross_slice(const Outer *s, const Block *b, int64_t o, int64_t high, const float *slice,
                        const float *panels) {
    const int64_t tiles = tiles_of(high), on = b->from > 0 || s->onto;
    const float *ahead = s->dy + b->from * s->dy_row + o + high;
    for (int64_t p = 0; p < b->wide; p += STRIP)
        for (int64_t i = 0; i < tiles; i++) {
            const int64_t r = high * i / tiles, some = high * (i + 1) / tiles - r, wide = b->wide - p;
            float *to = s->dW + (o + r) * s->dW_row + b->column + p;
            lanes sums[ROWS * ACROSS];
            for (int64_t j = 0; j < some; j++)
                for (int64_t v = 0; v < STRIP; v += LINE) __builtin_prefetch(to + j * s->dW_row + v, 1, 2);
            const int64_t apart = !p && i * LINE < SLICE ? s->dy_row : 0;
            const float *line = apart ? ahead + i * LINE : slice;
            OF_ROWS(cross, some)(slice + r, panels + p * b->n, b->n, line, apart, sums);
            if (wide >= STRIP) add_tile(1, sums, some, STRIP, on, to, s->dW_row);
            else add_tile(0, sums, some, wide, on, to, s->dW_row);
        }
}

/* Some rows: columns of dy, those of a thread, by some of x. */
static void cross_block(const Outer *s, const Block *b, float *work) {
    float *slice = work, *panels = work + DEEPEST * SLICE;
    lay_columns(STRIP, s->x + b->from * s->x_row + b->column, s->x_row, b->n, b->wide, panels);
    for (int64_t o = b->first; o < b->end; o += SLICE) {
        const int64_t high = at_most(b->end - o, SLICE);
        lay_columns(SLICE, s->dy + b->from * s->dy_row + o, s->dy_row, b->n, high, slice);
        cross_slice(s, b, o, high, slice, panels);
    }
}

void outer(const Outer *s) {
    const int64_t blocks = (s->rows + DEEPEST - 1) / DEEPEST;
    PARALLEL(s->threads) {
        const int64_t me = ME, threads = THREADS;
        const int64_t first = s->out * me / threads, end = s->out * (me + 1) / threads;
        for (int64_t i = 0; i < blocks; i++) {
            const int64_t from = s->rows * i / blocks, n = s->rows * (i + 1) / blocks - from;
            for (int64_t column = 0; column < s->in; column += SIDE) {
                const Block block = {from, n, column, at_most(s->in - column, SIDE), first, end};
                cross_block(s, &block, s->work + me * OUTER_ROOM);
            }
        }
    }
}
