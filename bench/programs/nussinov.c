// Folding of an RNA strand (Nussinov): dynamic programming over a triangle.  Argument: bases.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int pairs(char a, char b) { return a + b == 3; }

static void fold(int n, const char *base, int *t) {
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            int best = t[i * n + j - 1];
            if (t[(i + 1) * n + j] > best)
                best = t[(i + 1) * n + j];
            int inner = t[(i + 1) * n + j - 1] + (i < j - 1 ? pairs(base[i], base[j]) : 0);
            if (inner > best)
                best = inner;
            for (int k = i + 1; k < j; k++) {
                int both = t[i * n + k] + t[(k + 1) * n + j];
                if (both > best)
                    best = both;
            }
            t[i * n + j] = best;
        }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 800;
    char *base = malloc(n);
    int *t = calloc((size_t)n * (n + 1), sizeof *t);
    if (!base || !t)
        return 1;
    uint32_t state = 11;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        base[i] = (char)(state >> 30);
    }
    fold(n, base, t);
    uint64_t sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += (uint64_t)t[i] * (uint64_t)(i % 61);
    printf("nussinov %d %d %016llx\n", n, t[n - 1], (unsigned long long)sum);
    free(base);
    free(t);
    return 0;
}
