// Finediff: the wave equation in one dimension by explicit finite differences.
#include <math.h>
#include <stdio.h>

enum { POINTS = 2048, STEPS = 5 };

static double u[STEPS][POINTS];

static double shape(double place) { return sin(3.14159265358979 * place) + sin(2 * 3.14159265358979 * place); }

static void start(double r) {
    for (int i = 1; i < POINTS - 1; i++) {
        u[0][i] = shape((double)i / (POINTS - 1));
        u[1][i] = (1 - r * r) * shape((double)i / (POINTS - 1)) +
                  r * r / 2 * (shape((double)(i + 1) / (POINTS - 1)) + shape((double)(i - 1) / (POINTS - 1)));
    }
}

static void march(double r) {
    for (int j = 2; j < STEPS; j++)
        for (int i = 1; i < POINTS - 1; i++)
            u[j][i] = (2 - 2 * r * r) * u[j - 1][i] + r * r * (u[j - 1][i - 1] + u[j - 1][i + 1]) - u[j - 2][i];
}

int main(void) {
    start(0.8);
    march(0.8);
    printf("finediff %.6e\n", u[STEPS - 1][POINTS / 3]);
    return 0;
}
