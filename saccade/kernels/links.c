/* Symmetrising word alignments of two directions: Och & Ney 2003, Koehn et al. 2003. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INTERSECTION, UNION, GROW_DIAG, GROW_DIAG_FINAL, GROW_DIAG_FINAL_AND };
enum { LINKED_FORWARD = 1, LINKED_BACKWARD = 2, LINK_CHOSEN = 4 };

typedef struct {
    int64_t pairs, n_forward, n_backward, rule, cells; /* cells: of the largest pair */
    const int64_t *source_lengths, *target_lengths;
    const int32_t *forward, *backward; /* rows of pair, source place, target place, sorted */
    int32_t *found;
} SymmetriseCall;

static const int LINKS_NEAR[8][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

/* Grow from the links of both by neighbours that one of them has, while a word is free. */
static void grow_links(uint8_t *grid, int64_t S, int64_t T, uint8_t *source, uint8_t *target) {
    for (int grown = 1; grown;) {
        grown = 0;
        for (int64_t t = 0; t < T; t++)
            for (int64_t s = 0; s < S; s++) {
                if (!(grid[t * S + s] & LINK_CHOSEN)) continue;
                for (int k = 0; k < 8; k++) {
                    const int64_t a = t + LINKS_NEAR[k][0], b = s + LINKS_NEAR[k][1];
                    if (a < 0 || b < 0 || a >= T || b >= S) continue;
                    uint8_t *cell = grid + a * S + b;
                    if (!*cell || *cell & LINK_CHOSEN || (target[a] && source[b])) continue;
                    *cell |= LINK_CHOSEN;
                    target[a] = source[b] = 1;
                    grown = 1;
                }
            }
    }
}

/* Add the links of one direction whose words are free: one of them, or both. */
static void finish_links(
    uint8_t *grid, int64_t S, int64_t T, uint8_t *source, uint8_t *target, int direction, int both
) {
    for (int64_t t = 0; t < T; t++)
        for (int64_t s = 0; s < S; s++) {
            uint8_t *cell = grid + t * S + s;
            if (!(*cell & direction) || *cell & LINK_CHOSEN) continue;
            if (both ? target[t] || source[s] : target[t] && source[s]) continue;
            *cell |= LINK_CHOSEN;
            target[t] = source[s] = 1;
        }
}

static void choose_links(uint8_t *grid, int64_t S, int64_t T, int rule, uint8_t *source, uint8_t *target) {
    memset(source, 0, S);
    memset(target, 0, T);
    for (int64_t t = 0; t < T; t++)
        for (int64_t s = 0; s < S; s++) {
            uint8_t *cell = grid + t * S + s;
            const int kept = rule == UNION ? *cell != 0 : *cell == (LINKED_FORWARD | LINKED_BACKWARD);
            if (!kept) continue;
            *cell |= LINK_CHOSEN;
            target[t] = source[s] = 1;
        }
    if (rule < GROW_DIAG) return;
    grow_links(grid, S, T, source, target);
    if (rule == GROW_DIAG) return;
    finish_links(grid, S, T, source, target, LINKED_FORWARD, rule == GROW_DIAG_FINAL_AND);
    finish_links(grid, S, T, source, target, LINKED_BACKWARD, rule == GROW_DIAG_FINAL_AND);
}

/* Write the chosen links of all pairs, sorted; return how many, or -1 without memory. */
int64_t symmetrise(const SymmetriseCall *call) {
    int64_t longest = 1, n = 0, f = 0, b = 0;
    for (int64_t p = 0; p < call->pairs; p++) {
        if (call->source_lengths[p] > longest) longest = call->source_lengths[p];
        if (call->target_lengths[p] > longest) longest = call->target_lengths[p];
    }
    uint8_t *grid = malloc(call->cells + 1), *source = malloc(longest), *target = malloc(longest);
    if (!grid || !source || !target) n = -1;
    for (int64_t p = 0; p < call->pairs && n >= 0; p++) {
        const int64_t S = call->source_lengths[p], T = call->target_lengths[p];
        memset(grid, 0, S * T);
        for (; f < call->n_forward && call->forward[3 * f] == p; f++)
            grid[call->forward[3 * f + 2] * S + call->forward[3 * f + 1]] |= LINKED_FORWARD;
        for (; b < call->n_backward && call->backward[3 * b] == p; b++)
            grid[call->backward[3 * b + 2] * S + call->backward[3 * b + 1]] |= LINKED_BACKWARD;
        choose_links(grid, S, T, (int)call->rule, source, target);
        for (int64_t s = 0; s < S; s++)
            for (int64_t t = 0; t < T; t++) {
                if (!(grid[t * S + s] & LINK_CHOSEN)) continue;
                int32_t *row = call->found + 3 * n++;
                row[0] = (int32_t)p;
                row[1] = (int32_t)s;
                row[2] = (int32_t)t;
            }
    }
    free(grid);
    free(source);
    free(target);
    return n;
}
