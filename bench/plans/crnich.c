// The heat equation in one dimension by Crank and Nicolson (after p-ray's Crnich).  Arguments: points, steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 200000 };

static double now[MOST], next[MOST], low[MOST], diagonal[MOST], right[MOST], upper[MOST];

static void start(int n) {
    for (int i = 1; i < n - 1; i++) {
        double place = 3.14159265358979 * i / (n - 1);
        now[i] = sin(place) + sin(3 * place);
    }
}

static void solve(int n) {
    for (int i = 1; i < n; i++) {
        double by = low[i] / diagonal[i - 1];
        diagonal[i] -= by * upper[i - 1];
        right[i] -= by * right[i - 1];
    }
    next[n - 1] = right[n - 1] / diagonal[n - 1];
    for (int i = n - 2; i >= 0; i--)
        next[i] = (right[i] - upper[i] * next[i + 1]) / diagonal[i];
}

static void march(int n, int steps, double r) {
    for (int step = 1; step < steps; step++) {
        for (int i = 0; i < n; i++) {
            int inside = i > 0 && i < n - 1;
            diagonal[i] = inside ? 2 + 2 / r : 1;
            low[i] = upper[i] = inside ? -1 : 0;
        }
        right[0] = right[n - 1] = 0;
        for (int i = 1; i < n - 1; i++)
            right[i] = now[i - 1] + now[i + 1] + (2 / r - 2) * now[i];
        solve(n);
        for (int i = 0; i < n; i++)
            now[i] = next[i];
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20000, steps = argc > 2 ? atoi(argv[2]) : 50;
    if (n < 4 || n > MOST)
        return 1;
    start(n);
    march(n, steps, 0.9);
    printf("crnich %.6e\n", now[n / 2]);
    return 0;
}
