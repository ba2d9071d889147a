// Conjugate gradients on a sparse symmetric matrix in compressed rows.  Arguments: rows, iterations.
#include <stdio.h>
#include <stdlib.h>

enum { BANDS = 6 };
// The matrix has entries on the diagonal and at these distances from it.
static const int distance[BANDS] = {1, 7, 60, 411, 3001, 9973};

typedef struct {
    int rows;
    int *start, *column;
    double *value;
} matrix;

static int build(matrix *m, int rows) {
    m->rows = rows;
    m->start = malloc((rows + 1) * sizeof(int));
    m->column = malloc((size_t)rows * (2 * BANDS + 1) * sizeof(int));
    m->value = malloc((size_t)rows * (2 * BANDS + 1) * sizeof(double));
    if (!m->start || !m->column || !m->value)
        return 0;
    int entries = 0;
    for (int i = 0; i < rows; i++) {
        m->start[i] = entries;
        for (int b = BANDS - 1; b >= 0; b--)
            if (i >= distance[b]) {
                m->column[entries] = i - distance[b];
                m->value[entries++] = -1.0;
            }
        m->column[entries] = i;
        m->value[entries++] = 2.0 * BANDS + 0.5;
        for (int b = 0; b < BANDS; b++)
            if (i + distance[b] < rows) {
                m->column[entries] = i + distance[b];
                m->value[entries++] = -1.0;
            }
    }
    m->start[rows] = entries;
    return 1;
}

static void multiply(const matrix *m, const double *x, double *y) {
    for (int i = 0; i < m->rows; i++) {
        double sum = 0;
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        y[i] = sum;
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100000, steps = argc > 2 ? atoi(argv[2]) : 25;
    matrix m;
    double *x = calloc(n, sizeof *x), *r = malloc(n * sizeof *r), *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
    if (!x || !r || !p || !q || !build(&m, n))
        return 1;
    for (int i = 0; i < n; i++)
        p[i] = r[i] = 1.0 + i % 3;
    double rho = dot(n, r, r);
    for (int step = 0; step < steps; step++) {
        multiply(&m, p, q);
        double alpha = rho / dot(n, p, q);
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(n, r, r), beta = next / rho;
        rho = next;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
    printf("cg %d %d %.6e %.6e\n", n, steps, dot(n, x, x), rho);
    free(m.start), free(m.column), free(m.value);
    free(x), free(r), free(p), free(q);
    return 0;
}
