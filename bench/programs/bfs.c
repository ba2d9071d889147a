// Breadth-first search over a random graph, by frontiers.  Arguments: vertices, edges a vertex, searches.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 200000, degree = argc > 2 ? atoi(argv[2]) : 8, searches = argc > 3 ? atoi(argv[3]) : 4;
    int *target = malloc((size_t)n * degree * sizeof *target);
    int *level = malloc(n * sizeof *level), *front = malloc(n * sizeof *front), *next = malloc(n * sizeof *next);
    if (!target || !level || !front || !next)
        return 1;
    uint64_t state = 1;
    for (long e = 0; e < (long)n * degree; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        target[e] = (int)((state >> 33) % (uint64_t)n);
    }
    uint64_t sum = 0;
    for (int search = 0; search < searches; search++) {
        for (int v = 0; v < n; v++)
            level[v] = -1;
        int size = 1, depth = 0;
        front[0] = search * 17 % n;
        level[front[0]] = 0;
        while (size > 0) {
            int found = 0;
            depth++;
            for (int f = 0; f < size; f++) {
                int v = front[f];
                for (int e = v * degree; e < (v + 1) * degree; e++)
                    if (level[target[e]] < 0) {
                        level[target[e]] = depth;
                        next[found++] = target[e];
                    }
            }
            int *swap = front;
            front = next;
            next = swap;
            size = found;
        }
        for (int v = 0; v < n; v++)
            sum += (uint64_t)(level[v] + 1) * (uint64_t)(v % 31);
    }
    printf("bfs %d %d %d %016llx\n", n, degree, searches, (unsigned long long)sum);
    free(target), free(level), free(front), free(next);
    return 0;
}
