/* What the words that are left are expected to score: the Outlook of search/_stacks.py. */

#include <stdlib.h>

#include "stack.h"

static void look_out(Outlook *out) {
    const StackCall *call = out->call;
    const int64_t n = out->n, reach = call->reach, wide = reach + 1;
    for (int64_t i = 0; i <= n; i++) {
        out->inner[i * wide] = 0.0;
        for (int64_t m = 1; m <= reach; m++) out->inner[i * wide + m] = NEVER;
    }
    out->rest[n] = 0.0;
    for (int64_t i = n - 1; i >= 0; i--) {
        out->rest[i] = NEVER;
        for (int64_t o = out->at[i]; o < out->at[i + 1]; o++) {
            const int64_t size = call->spans[2 * o + 1] - i;
            const double own = call->scores[o] + call->guesses[o];
            const double whole = own + out->rest[i + size];
            if (whole > out->rest[i]) out->rest[i] = whole;
            for (int64_t m = size; m <= reach && m <= n - i; m++) {
                const double part = own + out->inner[(i + size) * wide + m - size];
                if (part > out->inner[i * wide + m]) out->inner[i * wide + m] = part;
            }
        }
    }
}

/* Look out over one sentence; not 0 if there was not memory enough. */
int outlook_open(Outlook *out, const StackCall *call, int64_t row) {
    const int64_t n = call->lengths[row];
    *out = (Outlook){.call = call, .row = row, .n = n};
    out->inner = malloc((size_t)(n + 1) * (size_t)(call->reach + 1) * sizeof *out->inner);
    out->rest = malloc((size_t)(n + 1) * sizeof *out->rest);
    out->at = malloc((size_t)(n + 1) * sizeof *out->at);
    if (!out->inner || !out->rest || !out->at) return 1;
    int64_t o = call->firsts[row];
    for (int64_t i = 0; i <= n; i++) {
        out->at[i] = o;
        while (i < n && o < call->firsts[row + 1] && call->spans[2 * o] == i) o++;
    }
    look_out(out);
    return 0;
}

void outlook_close(Outlook *out) {
    free(out->inner);
    free(out->rest);
    free(out->at);
}

/* Add up what the gaps are expected to score. */
double outlook(const Outlook *out, int64_t gap, uint64_t beyond) {
    double total = 0.0;
    while (beyond) {
        int64_t n = __builtin_ctzll(beyond);
        total += out->inner[gap * (out->call->reach + 1) + n];
        beyond >>= n;
        gap += n;
        n = __builtin_ctzll(~beyond);
        beyond >>= n;
        gap += n;
    }
    return total + out->rest[gap];
}
