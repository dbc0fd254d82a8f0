/* What happens when the n-th write to an index fails, or the process dies there?
 *
 * Preloaded into a process. Between arm() and disarm() every call that changes something below one folder is counted: data, sizes, names,
 * folders, durability. At the n-th one the process is killed, half of the data is written and then it is killed, or the call fails with an
 * errno: once, or from then on. Changes by way of mapped memory (SQLite's -shm) are not seen; they lie between two that are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT = 0, KILL = -1, TEAR = -2 };

static char below[PATH_MAX];
static size_t below_length;
static int log_to = -1;
static long fail_at, fail_until;
static int action;
static atomic_int armed;
static atomic_long counted;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void arm(const char *folder, long at, int what, int lasting, int log_descriptor)
{
    below_length = strlen(folder);
    memcpy(below, folder, below_length + 1);
    fail_at = at;
    fail_until = lasting ? LONG_MAX : at;
    action = what;
    log_to = log_descriptor;
    counted = 0;
    armed = 1;
}

long disarm(void)
{
    armed = 0;
    return counted;
}

static int inside(const char *path)
{
    return !strncmp(path, below, below_length) && (path[below_length] == '/' || !path[below_length] || path[below_length] == ' ');
}

static int of_descriptor(int descriptor, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return inside(path);
}

static int of_path(int folder, const char *name, char *path)
{
    if (name[0] == '/')
        snprintf(path, PATH_MAX, "%s", name);
    else {
        char link[64], base[PATH_MAX];
        snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
        ssize_t size = readlink(link, base, sizeof base - 1);
        if (size < 0)
            return 0;
        base[size] = 0;
        if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX)
            return 0;
    }
    return inside(path);
}

/* 0: go on; 1: fail with errno; 2: write half, then die. */
static int reached(const char *what, const char *path)
{
    long now = ++counted;
    if (log_to >= 0) {
        char line[PATH_MAX + 64];
        int size = snprintf(line, sizeof line, "%s %s\n", what, path + below_length);
        if (REAL(write)(log_to, line, size) < 0)
            abort();
    }
    if (action == COUNT || now < fail_at || now > fail_until)
        return 0;
    if (action == KILL)
        raise(SIGKILL);
    if (action == TEAR)
        return 2;
    errno = action;
    return 1;
}

#define ON_DESCRIPTOR(name, descriptor) \
    char path[PATH_MAX]; \
    int todo = armed && of_descriptor(descriptor, path) ? reached(name, path) : 0; \
    if (todo == 1) \
        return -1;

#define ON_PATH(name, folder, file) \
    char path[PATH_MAX]; \
    int todo = armed && of_path(folder, file, path) ? reached(name, path) : 0; \
    if (todo == 1) \
        return -1; \
    if (todo == 2) \
        raise(SIGKILL);

ssize_t write(int descriptor, const void *data, size_t size)
{
    ON_DESCRIPTOR("write", descriptor)
    ssize_t written = REAL(write)(descriptor, data, todo ? size / 2 : size);
    if (todo)
        raise(SIGKILL);
    return written;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    ON_DESCRIPTOR("writev", descriptor)
    if (todo)
        raise(SIGKILL);
    return REAL(writev)(descriptor, parts, count);
}

#define AT_A_PLACE(name, offset_type) \
    ssize_t name(int descriptor, const void *data, size_t size, offset_type place) \
    { \
        ON_DESCRIPTOR(#name, descriptor) \
        ssize_t written = REAL(name)(descriptor, data, todo ? size / 2 : size, place); \
        if (todo) \
            raise(SIGKILL); \
        return written; \
    }
AT_A_PLACE(pwrite, off_t)
AT_A_PLACE(pwrite64, off64_t)

#define ON_ONE(name, arguments, passed) \
    int name arguments \
    { \
        ON_DESCRIPTOR(#name, descriptor) \
        if (todo) \
            raise(SIGKILL); \
        return REAL(name) passed; \
    }
ON_ONE(ftruncate, (int descriptor, off_t size), (descriptor, size))
ON_ONE(ftruncate64, (int descriptor, off64_t size), (descriptor, size))
ON_ONE(fallocate, (int descriptor, int mode, off_t place, off_t size), (descriptor, mode, place, size))
ON_ONE(fsync, (int descriptor), (descriptor))
ON_ONE(fdatasync, (int descriptor), (descriptor))

#define ON_NAME(name, arguments, folder, file, passed) \
    int name arguments \
    { \
        ON_PATH(#name, folder, file) \
        return REAL(name) passed; \
    }
ON_NAME(truncate, (const char *file, off_t size), AT_FDCWD, file, (file, size))
ON_NAME(unlink, (const char *file), AT_FDCWD, file, (file))
ON_NAME(unlinkat, (int folder, const char *file, int flags), folder, file, (folder, file, flags))
ON_NAME(rmdir, (const char *file), AT_FDCWD, file, (file))
ON_NAME(mkdir, (const char *file, mode_t mode), AT_FDCWD, file, (file, mode))
ON_NAME(mkdirat, (int folder, const char *file, mode_t mode), folder, file, (folder, file, mode))
ON_NAME(rename, (const char *from, const char *file), AT_FDCWD, file, (from, file))
ON_NAME(renameat, (int other, const char *from, int folder, const char *file), folder, file, (other, from, folder, file))
ON_NAME(renameat2, (int other, const char *from, int folder, const char *file, unsigned flags), folder, file, (other, from, folder, file, flags))
ON_NAME(link, (const char *from, const char *file), AT_FDCWD, file, (from, file))
ON_NAME(linkat, (int other, const char *from, int folder, const char *file, int flags), folder, file, (other, from, folder, file, flags))
ON_NAME(symlink, (const char *from, const char *file), AT_FDCWD, file, (from, file))

/* Opening counts where it makes or empties a file. */
#define OPENING(name, arguments, folder, passed) \
    int name arguments \
    { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list more; \
            va_start(more, flags); \
            mode = va_arg(more, mode_t); \
            va_end(more); \
        } \
        char path[PATH_MAX]; \
        int matters = armed && of_path(folder, file, path); \
        if (matters && (flags & O_TRUNC || (flags & O_CREAT && access(path, F_OK)))) { \
            int todo = reached("open", path); \
            if (todo == 1) \
                return -1; \
            if (todo == 2) \
                raise(SIGKILL); \
        } \
        return REAL(name) passed; \
    }
OPENING(open, (const char *file, int flags, ...), AT_FDCWD, (file, flags, mode))
OPENING(open64, (const char *file, int flags, ...), AT_FDCWD, (file, flags, mode))
OPENING(openat, (int folder, const char *file, int flags, ...), folder, (folder, file, flags, mode))
OPENING(openat64, (int folder, const char *file, int flags, ...), folder, (folder, file, flags, mode))

/* A copy inside the kernel would not be counted: callers have a way without. */
ssize_t copy_file_range(int from, off64_t *from_place, int to, off64_t *to_place, size_t size, unsigned flags)
{
    if (armed) {
        errno = ENOSYS;
        return -1;
    }
    return REAL(copy_file_range)(from, from_place, to, to_place, size, flags);
}
