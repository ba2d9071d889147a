// The break goes back and then forth, as `free` and `malloc` move it: it must succeed, and give zeros.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static int to(char *place) {
    errno = 0;
    return brk(place) ? errno : 0;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    char *start = sbrk(0);
    for (int round = 0; round < 3; round++) {
        printf("%d", to(start + (round + 1) * MIB));
        for (char *p = start; p < start + MIB; p += 4096)
            *p = 1;
        printf(" %d", to(start + MIB / 2));
        printf(" %d", to(start + 8 * MIB));
        int dirty = 0;
        for (char *p = start + MIB / 2; p < start + 8 * MIB; p += 4096)
            dirty += *p != 0;
        printf(" %d\n", dirty);
    }
    return errno;
}
