/* What the kernels share: numbers to work on, and how a wrong result ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A routine that keeps its name and its own instructions. */
#define KERNEL __attribute__((noinline, noclone))
/* A part of a kernel. */
#define PART static inline __attribute__((always_inline))

/* Half the distance from 1 to the next larger double. */
#define EPS 0x1p-53

static uint64_t state = 0x9e3779b97f4a7c15u;

/* A pseudo-random number (xorshift64*). */
__attribute__((unused)) static uint64_t next_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

/* Prints a result; ends the program if it is wrong. */
static void report(const char *name, double result, int right) {
    printf("%-14s %a\n", name, result);
    if (!right) {
        fprintf(stderr, "%s: wrong result\n", name);
        exit(1);
    }
}

/* The first argument as a number from 1 to most, else the default. */
static int size_argument(int argc, char **argv, int otherwise, int most) {
    int n = argc > 1 ? atoi(argv[1]) : otherwise;
    if (n < 1 || n > most) {
        fprintf(stderr, "usage: %s [N], N from 1 to %d\n", argv[0], most);
        exit(2);
    }
    return n;
}

#endif
