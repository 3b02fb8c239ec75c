/* The wall clock of a process, put off by as many nanoseconds as a file holds (clock.py writes it).
 *
 * Only what tells the time of day is changed. Waiting is not: Python, uvloop and SQLite wait on the
 * monotonic clock. (Debian's libfaketime changes both: threads of Python then spin, or oversleep.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
static const volatile int64_t *put_off; /* the file, mapped: seen at once, and at no cost */
static int (*libc_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("PARLEY_CHAOS_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *page = mmap(NULL, sizeof *put_off, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED)
        put_off = page;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    if (!libc_gettime)
        libc_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = libc_gettime(clock, out);
    if (!failed && put_off && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t now = out->tv_sec * SECOND + out->tv_nsec + *put_off;
        out->tv_sec = now / SECOND;
        out->tv_nsec = now % SECOND;
    }
    return failed;
}

int gettimeofday(struct timeval *out, void *zone) {
    (void)zone;
    struct timespec now;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    if (!failed)
        *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return failed;
}

time_t time(time_t *out) {
    struct timespec now;
    time_t seconds = clock_gettime(CLOCK_REALTIME, &now) ? -1 : now.tv_sec;
    if (out)
        *out = seconds;
    return seconds;
}
