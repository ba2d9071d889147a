/* Calls that native code makes: through several levels, from loops in loops, from a library, through a pointer, by
   recursion, in tail position, from iterations that are left early, and of functions that have no native version. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static double table[64];
static unsigned seed = 7;

static unsigned next(void) { return seed = seed * 1103515245u + 12345u; }

__attribute__((noinline)) static double leaf(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        table[i & 63] = table[(i * 7) & 63] * 0.5 + i;
        sum += table[i & 63];
    }
    return sum;
}

__attribute__((noinline)) static double middle(int n) { return leaf(n) * 0.25; }

__attribute__((noinline)) static double last(int n) { return leaf(n + 3); }

__attribute__((noinline)) static double outer(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++) {
            sum += middle(8 + j);
            if (next() % 11 == 0)
                break;
        }
        sum += last(i & 7);
    }
    return sum;
}

__attribute__((noinline)) static double straight(int n) { return outer(n) + middle(n) + outer(1) + last(n); }

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    x += leaf(2);
    x -= leaf(2);
    return (x > y) - (x < y);
}

__attribute__((noinline)) static double sorted(int n) {
    double values[48];
    double sum = 0;
    for (int i = 0; i < n; i++)
        values[i] = next() % 1000;
    qsort(values, n, sizeof *values, compare);
    for (int i = 0; i < n; i++)
        sum += values[i] * i;
    return sum;
}

__attribute__((noinline)) static double various(int n, ...) {
    va_list list;
    double sum = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += middle(va_arg(list, int));
    va_end(list);
    return sum;
}

static double (*const pointers[3])(int) = {middle, last, sorted};

__attribute__((noinline)) static double tree(int depth) {
    if (depth == 0)
        return leaf(5);
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += tree(depth - 1);
    return sum + middle(depth);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        sum += straight(6);
        sum += pointers[round % 3](20);
        sum += tree(round % 5);
        sum += various(3, 4, 5, 6);
    }
    printf("%.9g\n", sum);
    return 0;
}
