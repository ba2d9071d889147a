// Shortest paths between all pairs of vertices (Floyd and Warshall).  Argument: vertices.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void shortest(int n, int *d) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int through = d[i * n + k] + d[k * n + j];
                if (through < d[i * n + j])
                    d[i * n + j] = through;
            }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 480;
    int *d = malloc((size_t)n * n * sizeof *d);
    if (!d)
        return 1;
    uint32_t state = 42;
    for (int i = 0; i < n * n; i++) {
        state = state * 1664525u + 1013904223u;
        d[i] = state >> 28 == 0 ? (int)(state >> 8 & 1023) + 1 : 1000000;
    }
    for (int i = 0; i < n; i++)
        d[i * n + i] = 0;
    shortest(n, d);
    uint64_t sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += (uint64_t)d[i] * (uint64_t)(i % 127);
    printf("floyd %d %016llx\n", n, (unsigned long long)sum);
    free(d);
    return 0;
}
