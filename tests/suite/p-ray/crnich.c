// Crnich: the heat equation in one dimension by the method of Crank and Nicolson; a tridiagonal system per time step.
#include <math.h>
#include <stdio.h>

enum { POINTS = 96, STEPS = 96 };

static double u[STEPS][POINTS], low[POINTS], diagonal[POINTS], right[POINTS], upper[POINTS];

static void zeros(void) {
    for (int j = 0; j < STEPS; j++)
        for (int i = 0; i < POINTS; i++)
            u[j][i] = 0;
}

static void start(void) {
    for (int i = 1; i < POINTS - 1; i++) {
        double place = 3.14159265358979 * i / (POINTS - 1);
        u[0][i] = sin(place) + sin(3 * place);
    }
}

static void solve(double *out) {
    for (int i = 1; i < POINTS; i++) {
        double by = low[i] / diagonal[i - 1];
        diagonal[i] -= by * upper[i - 1];
        right[i] -= by * right[i - 1];
    }
    out[POINTS - 1] = right[POINTS - 1] / diagonal[POINTS - 1];
    for (int i = POINTS - 2; i >= 0; i--)
        out[i] = (right[i] - upper[i] * out[i + 1]) / diagonal[i];
}

static void march(double r) {
    for (int j = 1; j < STEPS; j++) {
        for (int i = 0; i < POINTS; i++) {
            int inside = i > 0 && i < POINTS - 1;
            diagonal[i] = inside ? 2 + 2 / r : 1;
            low[i] = upper[i] = inside ? -1 : 0;
        }
        right[0] = right[POINTS - 1] = 0;
        for (int i = 1; i < POINTS - 1; i++)
            right[i] = u[j - 1][i - 1] + u[j - 1][i + 1] + (2 / r - 2) * u[j - 1][i];
        solve(u[j]);
    }
}

int main(void) {
    zeros();
    start();
    march(0.9);
    printf("crnich %.6e\n", u[STEPS - 1][POINTS / 2]);
    return 0;
}
