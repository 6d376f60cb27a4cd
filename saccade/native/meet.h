/* Where threads wait for each other, many times in a call.

   Who waits looks around for some tenths of a millisecond, which on a free machine is enough, and
   then sleeps: the core is free for whoever has not come yet. The barrier of OpenMP looks around for
   milliseconds, and where cores are shared with other programs a whole slice of the scheduler's is
   lost each time. The loop of fed.c, forward, beside other programs on two cores, in turn: 120 ms
   with that one, 80 with this one. */

#pragma once

#include "lanes.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#define SLEEP(word, while_it_is) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, 0, 0, 0)
#define WAKE(word) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0)
#else
#include <sched.h>
#define SLEEP(word, while_it_is) sched_yield()
#define WAKE(word)
#endif

#if defined(__x86_64__) || defined(__i386__)
#define PAUSE __builtin_ia32_pause()
#else
#define PAUSE
#endif

enum { LOOKS = 5000 };

typedef struct {
    int32_t come, round; /* how many are there; how many times all have been */
} Meeting;

/* Return when all threads have come here; what they wrote before can be read then. */
static inline void meet(Meeting *m, int64_t threads) {
    if (threads == 1) return;
    const int32_t round = __atomic_load_n(&m->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&m->come, 1, __ATOMIC_ACQ_REL) == threads) {
        __atomic_store_n(&m->come, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&m->round, round + 1, __ATOMIC_RELEASE);
        WAKE(&m->round);
        return;
    }
    for (int i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(&m->round, __ATOMIC_ACQUIRE) != round) return;
        PAUSE;
    }
    while (__atomic_load_n(&m->round, __ATOMIC_ACQUIRE) == round) SLEEP(&m->round, round);
}
