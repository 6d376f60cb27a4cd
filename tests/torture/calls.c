/* File calls that can be made to fail: put before libc by LD_PRELOAD, it counts the calls below
   some folders and, at a chosen one, fails, writes half, sends a signal, or ends the
   process.

   It knows nothing of Python: what a C library or an extension in Rust writes counts as well.
   Syncing is noted, not done: the files are there to be looked at by the same kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN, WRITE, SYNC, RENAME, REMOVE, MKDIR, TRUNCATE, READ, N_KINDS };
enum { NOTHING, FAIL, SHORT, HALF, BEFORE, AFTER, TORN, POWER, SIGNAL };
enum { GO, SKIP, CUT, DIE_AFTER, DIE_HALF };

#define MOST_FILES 4096
#define MOST_UNSYNCED 512

static const char *NAMES[N_KINDS] = {"open", "write", "sync", "rename", "remove", "mkdir",
                                     "truncate", "read"};
static char roots[4 * PATH_MAX]; /* one after the other, each ended by a colon */
static char watched[MOST_FILES]; /* by descriptor: 1 read, 2 written */
static struct { int kinds, rest, how, error, keep, tell; long at; } fault;
static long counts[N_KINDS], matched;
static int active, struck;
static struct { dev_t device; ino_t inode; int file; off_t synced; } unsynced[MOST_UNSYNCED];
static int n_unsynced;

static int full_path(int folder, const char *path, char *to) {
    if (path[0] == '/') return snprintf(to, PATH_MAX, "%s", path) < PATH_MAX;
    char from[64], base[PATH_MAX];
    if (folder == AT_FDCWD) snprintf(from, sizeof from, "/proc/self/cwd");
    else snprintf(from, sizeof from, "/proc/self/fd/%d", folder);
    ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, from, base, sizeof base - 1);
    if (n < 0) return 0;
    base[n] = 0;
    return snprintf(to, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

static int is_ours(int folder, const char *path, char *full) {
    if (!active || !path || !full_path(folder, path, full)) return 0;
    for (const char *one = roots, *end; (end = strchr(one, ':')); one = end + 1)
        if (end > one && !strncmp(full, one, end - one)) return 1;
    return 0;
}

/* Forget what was written since the last sync of each file, or all but `keep` percent of it. */
static void cut_power(void) {
    for (int i = 0; i < n_unsynced; i++) {
        struct stat now;
        if (unsynced[i].file < 0 || fstat(unsynced[i].file, &now)) continue;
        off_t more = now.st_size - unsynced[i].synced;
        if (more > 0)
            syscall(SYS_ftruncate, unsynced[i].file, unsynced[i].synced + more * fault.keep / 100);
    }
}

static void die(void) {
    if (fault.how == POWER) cut_power();
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

static void tell(int kind, const char *path) {
    char line[PATH_MAX + 32];
    int n = snprintf(line, sizeof line, "%s\t%s\n", NAMES[kind], path);
    if (fault.tell >= 0 && n > 0) syscall(SYS_write, fault.tell, line, (size_t)n);
}

/* Count a call, and say what is to become of it. Behind the first, those of `rest` fail too. */
static int meet(int kind, const char *path) {
    __sync_fetch_and_add(&counts[kind], 1);
    if (struck && fault.how == SIGNAL) {
        if (fault.rest >> kind & 1) kill(getpid(), fault.error);
        return GO;
    }
    if (struck) {
        errno = fault.error;
        return fault.rest >> kind & 1 ? SKIP : GO;
    }
    if (fault.how == NOTHING || !(fault.kinds >> kind & 1)) return GO;
    if (__sync_add_and_fetch(&matched, 1) != fault.at) return GO;
    struck = 1;
    tell(kind, path);
    switch (fault.how) {
    case SHORT: return CUT;
    case HALF: return CUT;
    case AFTER: return DIE_AFTER;
    case TORN: return DIE_HALF;
    case BEFORE:
    case POWER: die();
    case SIGNAL: kill(getpid(), fault.error); return GO;
    }
    errno = fault.error;
    return SKIP;
}

static int meet_file(int kind, int file) {
    char from[64], path[PATH_MAX] = "";
    if (!active || file < 0 || file >= MOST_FILES || !watched[file]) return GO;
    if (kind == READ && watched[file] == 2) return GO;
    if (fault.how && !struck && matched + 1 >= fault.at && fault.kinds >> kind & 1) {
        snprintf(from, sizeof from, "/proc/self/fd/%d", file);
        ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, from, path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
    }
    return meet(kind, path);
}

static void note_unsynced(int file, int synced) {
    struct stat found;
    char from[64];
    int i = 0;
    if (fault.how != POWER || fstat(file, &found) || !S_ISREG(found.st_mode)) return;
    while (i < n_unsynced &&
           !(unsynced[i].device == found.st_dev && unsynced[i].inode == found.st_ino)) i++;
    if (synced) {
        if (i == n_unsynced) return;
        if (unsynced[i].file >= 0) syscall(SYS_close, unsynced[i].file);
        unsynced[i] = unsynced[--n_unsynced];
        return;
    }
    if (i < n_unsynced || n_unsynced == MOST_UNSYNCED) return;
    /* opened anew: a copy of the descriptor would hold its locks */
    snprintf(from, sizeof from, "/proc/self/fd/%d", file);
    int own = (int)syscall(SYS_openat, AT_FDCWD, from, O_WRONLY | O_CLOEXEC, 0);
    if (own < 0) return;
    unsynced[n_unsynced].device = found.st_dev;
    unsynced[n_unsynced].inode = found.st_ino;
    unsynced[n_unsynced].file = own;
    unsynced[n_unsynced++].synced = found.st_size;
}

/* ---- what Python calls ---- */

void torture_watch(const char *folders) { snprintf(roots, sizeof roots, "%s", folders); }

void torture_begin(int kinds, int rest, long at, int how, int error, int keep, int tell_to) {
    fault.kinds = kinds, fault.rest = rest, fault.at = at, fault.how = how;
    fault.error = error, fault.keep = keep, fault.tell = tell_to;
    memset(counts, 0, sizeof counts);
    matched = struck = n_unsynced = 0;
    active = 1;
}

void torture_end(long *found) {
    active = 0;
    memcpy(found, counts, sizeof counts);
}

/* ---- what takes the place of libc ---- */

static int opened(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    int ours = is_ours(folder, path, full), met = GO;
    int writes = (flags & O_ACCMODE) != O_RDONLY;
    if (ours) met = meet(writes ? OPEN : READ, full);
    if (met == SKIP) return -1;
    int file = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (file >= 0 && file < MOST_FILES) watched[file] = ours ? 1 + writes : 0;
    if (met == DIE_AFTER) die();
    return file;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list more; \
        va_start(more, flags); \
        mode = va_arg(more, mode_t); \
        va_end(more); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }

int close(int file) {
    if (file >= 0 && file < MOST_FILES) watched[file] = 0;
    return (int)syscall(SYS_close, file);
}

static size_t part_of(int met, size_t n) { return met == CUT || met == DIE_HALF ? n / 2 : n; }

static ssize_t written(int met, ssize_t n) {
    if (met == DIE_AFTER || met == DIE_HALF) die();
    return n;
}

ssize_t write(int file, const void *data, size_t n) {
    int met = meet_file(WRITE, file);
    if (met == SKIP) return -1;
    if (active && file >= 0 && file < MOST_FILES && watched[file]) note_unsynced(file, 0);
    return written(met, syscall(SYS_write, file, data, part_of(met, n)));
}

ssize_t pwrite64(int file, const void *data, size_t n, off64_t at) {
    int met = meet_file(WRITE, file);
    if (met == SKIP) return -1;
    if (active && file >= 0 && file < MOST_FILES && watched[file]) note_unsynced(file, 0);
    return written(met, syscall(SYS_pwrite64, file, data, part_of(met, n), at));
}

ssize_t writev(int file, const struct iovec *parts, int n) {
    int met = meet_file(WRITE, file);
    if (met == SKIP) return -1;
    if (active && file >= 0 && file < MOST_FILES && watched[file]) note_unsynced(file, 0);
    if (met == CUT || met == DIE_HALF)
        return written(met, syscall(SYS_write, file, parts[0].iov_base, parts[0].iov_len / 2));
    return written(met, syscall(SYS_writev, file, parts, n));
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t n) {
    int met = meet_file(WRITE, to);
    if (met == SKIP) return -1;
    if (active && to >= 0 && to < MOST_FILES && watched[to]) note_unsynced(to, 0);
    struct stat found;
    if (met != GO && !fstat(from, &found) && (off_t)n > found.st_size) n = (size_t)found.st_size;
    return written(met, syscall(SYS_sendfile, to, from, at, part_of(met, n)));
}

static int synced(int file) {
    int met = meet_file(SYNC, file);
    if (met == SKIP) return -1;
    if (!active || file < 0 || file >= MOST_FILES || !watched[file])
        return (int)syscall(SYS_fsync, file);
    note_unsynced(file, 1);
    if (met == DIE_AFTER) die();
    return 0;
}

int fsync(int file) { return synced(file); }
int fdatasync(int file) { return synced(file); }

/* A call on names: count it if one of them is ours, then make it unless it is to fail. */
#define NAMED(kind, ours, call) \
    char full[PATH_MAX]; \
    int met = (ours) ? meet(kind, full) : GO; \
    if (met == SKIP) return -1; \
    int found = (int)(call); \
    if (met == DIE_AFTER) die(); \
    return found;

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    NAMED(RENAME, is_ours(b, to, full), syscall(SYS_renameat2, a, from, b, to, flags))
}
int renameat(int a, const char *from, int b, const char *to) { return renameat2(a, from, b, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int a, const char *from, int b, const char *to, int flags) {
    NAMED(RENAME, is_ours(b, to, full), syscall(SYS_linkat, a, from, b, to, flags))
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* What is not there cannot be removed: that is no call that a fault could hit. */
static int is_there(int folder, const char *path) {
    struct stat found;
    return !fstatat(folder, path, &found, AT_SYMLINK_NOFOLLOW);
}

int unlinkat(int folder, const char *path, int flags) {
    NAMED(REMOVE, is_ours(folder, path, full) && is_there(folder, path),
          syscall(SYS_unlinkat, folder, path, flags))
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode) {
    NAMED(MKDIR, is_ours(folder, path, full), syscall(SYS_mkdirat, folder, path, mode))
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int ftruncate64(int file, off64_t size) {
    int met = meet_file(TRUNCATE, file);
    if (met == SKIP) return -1;
    int found = (int)syscall(SYS_ftruncate, file, size);
    if (met == DIE_AFTER) die();
    return found;
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

ssize_t read(int file, void *to, size_t n) {
    int met = meet_file(READ, file);
    if (met == SKIP) return -1;
    ssize_t found = syscall(SYS_read, file, to, met == CUT && n > 1 ? n / 2 : n);
    if (met == DIE_AFTER) die();
    return found;
}

ssize_t pread64(int file, void *to, size_t n, off64_t at) {
    int met = meet_file(READ, file);
    if (met == SKIP) return -1;
    return syscall(SYS_pread64, file, to, met == CUT && n > 1 ? n / 2 : n, at);
}
