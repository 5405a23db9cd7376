/* Makes a fast disk as slow as the one the goals were set on: each flush takes 3.6 ms more.
 * Loaded with LD_PRELOAD by benches/run; the yardstick is slowed in the same way. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static const struct timespec MORE = {0, 3600000};

static int slowly(const char *name, int fd) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&MORE, 0);
  return flush(fd);
}

int fdatasync(int fd) { return slowly("fdatasync", fd); }
int fsync(int fd) { return slowly("fsync", fd); }
