/* What a back-off table adds along lines of labels. */

#include "backoff.h"

typedef struct {
    int64_t lines, longest, end;
    const BackoffWalk *walk;
    const int64_t *labels, *lengths;
    float *gains;
} BackoffLinesCall;

/* Write what every label of each line gains, and END behind them. */
void backoff_lines(const BackoffLinesCall *call) {
    for (int64_t line = 0; line < call->lines; line++) {
        const int64_t n = call->lengths[line], *labels = call->labels + line * call->longest;
        float *gains = call->gains + line * (call->longest + 1);
        int64_t context = call->walk->start;
        for (int64_t i = 0; i < n; i++) {
            gains[i] = backoff_gain(call->walk, context, labels[i]);
            context = backoff_read(call->walk, context, labels[i]);
        }
        gains[n] = backoff_gain(call->walk, context, call->end);
    }
}
