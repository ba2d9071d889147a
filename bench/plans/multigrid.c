// Poisson's equation on a square by V-cycles.  Arguments: log2 of the side, cycles.
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 14 };

static void smooth(int n, double *restrict to, const double *restrict from, const double *restrict f) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            size_t at = (size_t)i * (n + 1) + j;
            double around = from[at - 1] + from[at + 1] + from[at - n - 1] + from[at + n + 1];
            to[at] = 0.2 * from[at] + 0.8 * 0.25 * (around + f[at]);
        }
}

static void residual(int n, double *restrict r, const double *restrict u, const double *restrict f) {
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            size_t at = (size_t)i * (n + 1) + j;
            r[at] = f[at] + u[at - 1] + u[at + 1] + u[at - n - 1] + u[at + n + 1] - 4.0 * u[at];
        }
}

static void restriction(int n, double *restrict coarse, const double *restrict fine) {
    int half = n / 2;
    for (int i = 1; i < half; i++)
        for (int j = 1; j < half; j++) {
            const double *at = fine + (size_t)(2 * i) * (n + 1) + 2 * j;
            double corners = at[-n - 2] + at[-n] + at[n] + at[n + 2];
            double sides = at[-1] + at[1] + at[-n - 1] + at[n + 1];
            coarse[(size_t)i * (half + 1) + j] = 0.25 * corners + 0.5 * sides + at[0];
        }
}

static void prolong(int n, double *restrict fine, const double *restrict coarse) {
    int half = n / 2;
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            const double *at = coarse + (size_t)(i / 2) * (half + 1) + j / 2;
            double right = j % 2 ? 0.5 : 0.0, down = i % 2 ? 0.5 : 0.0;
            fine[(size_t)i * (n + 1) + j] += (1 - down) * ((1 - right) * at[0] + right * at[j % 2]) +
                                             down * ((1 - right) * at[half + 1] + right * at[half + 1 + j % 2]);
        }
}

static void clear(size_t n, double *a) {
    for (size_t i = 0; i < n; i++)
        a[i] = 0;
}

static void cycle(int level, double **u, double **v, double **f, double **r) {
    int n = 1 << level;
    for (int k = 0; k < 2; k++) {
        smooth(n, v[level], u[level], f[level]);
        smooth(n, u[level], v[level], f[level]);
    }
    if (level > 2) {
        residual(n, r[level], u[level], f[level]);
        restriction(n, f[level - 1], r[level]);
        clear((size_t)(n / 2 + 1) * (n / 2 + 1), u[level - 1]);
        cycle(level - 1, u, v, f, r);
        prolong(n, u[level], u[level - 1]);
    }
    for (int k = 0; k < 2; k++) {
        smooth(n, v[level], u[level], f[level]);
        smooth(n, u[level], v[level], f[level]);
    }
}

int main(int argc, char **argv) {
    int top = argc > 1 ? atoi(argv[1]) : 10, cycles = argc > 2 ? atoi(argv[2]) : 10;
    if (top < 2 || top >= LEVELS)
        return 1;
    double *u[LEVELS], *v[LEVELS], *f[LEVELS], *r[LEVELS];
    for (int level = 2; level <= top; level++) {
        size_t cells = (size_t)((1 << level) + 1) * ((1 << level) + 1);
        u[level] = calloc(cells, sizeof(double)), v[level] = calloc(cells, sizeof(double));
        f[level] = calloc(cells, sizeof(double)), r[level] = calloc(cells, sizeof(double));
        if (!u[level] || !v[level] || !f[level] || !r[level])
            return 1;
    }
    int n = 1 << top;
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            f[top][(size_t)i * (n + 1) + j] = (double)((i * 7 + j * 3) % 11 - 5) / n;
    for (int k = 0; k < cycles; k++)
        cycle(top, u, v, f, r);
    double sum = 0;
    for (size_t i = 0; i < (size_t)(n + 1) * (n + 1); i++)
        sum += u[top][i] * u[top][i];
    printf("multigrid %d %d %.6e\n", top, cycles, sum);
    for (int level = 2; level <= top; level++)
        free(u[level]), free(v[level]), free(f[level]), free(r[level]);
    return 0;
}
