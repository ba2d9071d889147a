// Implicit diffusion of three coupled fields on a square, by lines in turn (as NAS BT).  Arguments: side, steps.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double m[3][3];
} block;
typedef struct {
    double v[3];
} vec;

static block inverse(const block *a) {
    const double(*m)[3] = a->m;
    block r;
    double d = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a1 = (j + 1) % 3, a2 = (j + 2) % 3, b1 = (i + 1) % 3, b2 = (i + 2) % 3;
            r.m[i][j] = (m[a1][b1] * m[a2][b2] - m[a1][b2] * m[a2][b1]) / d;
        }
    return r;
}

static vec times(const block *a, const vec *x) {
    vec r = {{0, 0, 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.v[i] += a->m[i][j] * x->v[j];
    return r;
}

// Solves along one line of n cells that lie stride apart: off-diagonal blocks are -c times the unit matrix.
static void line(int n, long stride, vec *x, double c, const block *own, block *work) {
    for (int k = 0; k < n; k++) {
        block diagonal = *own;
        if (k > 0) {
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++)
                    diagonal.m[i][j] -= c * c * work[k - 1].m[i][j];
            }
            vec before = times(&work[k - 1], &x[(k - 1) * stride]);
            for (int i = 0; i < 3; i++)
                x[k * stride].v[i] += c * before.v[i];
        }
        work[k] = inverse(&diagonal);
    }
    for (int k = n - 1; k >= 0; k--) {
        if (k + 1 < n)
            for (int i = 0; i < 3; i++)
                x[k * stride].v[i] += c * x[(k + 1) * stride].v[i];
        x[k * stride] = times(&work[k], &x[k * stride]);
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300, steps = argc > 2 ? atoi(argv[2]) : 10;
    vec *x = malloc((size_t)n * n * sizeof *x);
    block *work = malloc((size_t)n * n * sizeof *work);
    if (!x || !work)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[(size_t)i * n + j] = (vec){{i % 7, j % 5, (i + j) % 3}};
    const double c = 0.4;
    const block own = {{{1 + 2 * c, 0.1, 0}, {0, 1 + 2 * c, 0.1}, {0.1, 0, 1 + 2 * c}}};
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            line(n, 1, x + (size_t)i * n, c, &own, work + (size_t)i * n);
        for (int j = 0; j < n; j++)
            line(n, n, x + j, c, &own, work + (size_t)j * n);
    }
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += x[i].v[0] + 2 * x[i].v[1] + 3 * x[i].v[2];
    printf("blocktri %d %d %.6e\n", n, steps, sum);
    free(x);
    free(work);
    return 0;
}
