// Clusters points in four dimensions around their means (Lloyd).  Arguments: points, clusters, rounds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 4, MOST = 64 };

static int nearest(const double *point, int k, double centre[MOST][DIM]) {
    int best = 0;
    double least = 1e300;
    for (int c = 0; c < k; c++) {
        double square = 0;
        for (int d = 0; d < DIM; d++)
            square += (point[d] - centre[c][d]) * (point[d] - centre[c][d]);
        if (square < least) {
            least = square;
            best = c;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100000, k = argc > 2 ? atoi(argv[2]) : 16, rounds = argc > 3 ? atoi(argv[3]) : 10;
    double *points = malloc((size_t)n * DIM * sizeof *points);
    int *cluster = malloc(n * sizeof *cluster);
    if (!points || !cluster || k > MOST)
        return 1;
    static double centre[MOST][DIM], sum[MOST][DIM];
    static int count[MOST];
    uint32_t state = 17;
    for (int i = 0; i < n * DIM; i++) {
        state = state * 1664525u + 1013904223u;
        points[i] = (double)(state >> 8) / 16777216.0 + (i / DIM) % 5;
    }
    for (int c = 0; c < k; c++)
        for (int d = 0; d < DIM; d++)
            centre[c][d] = points[c * DIM + d];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            cluster[i] = nearest(points + (size_t)i * DIM, k, centre);
        memset(sum, 0, sizeof sum);
        memset(count, 0, sizeof count);
        for (int i = 0; i < n; i++) {
            count[cluster[i]]++;
            for (int d = 0; d < DIM; d++)
                sum[cluster[i]][d] += points[(size_t)i * DIM + d];
        }
        for (int c = 0; c < k; c++)
            for (int d = 0; d < DIM; d++)
                if (count[c])
                    centre[c][d] = sum[c][d] / count[c];
    }
    double total = 0;
    for (int c = 0; c < k; c++)
        for (int d = 0; d < DIM; d++)
            total += centre[c][d] * (c + 1);
    printf("kmeans %d %d %d %.6e\n", n, k, rounds, total);
    free(points);
    free(cluster);
    return 0;
}
