/* Product of dense N x N matrices, as in matrix300 of SPEC 89 (Paragraph, table 3): thousands of operations per level. */

#include "check.h"

#define MOST 200

static double a[MOST][MOST], b[MOST][MOST], c[MOST][MOST];

KERNEL void multiply(long n) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 60, MOST);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = (double)(int)(next_random() >> 44);
            b[i][j] = (double)(int)(next_random() >> 44);
        }
    multiply(n);
    /* Whole numbers of at most 20 bits: every sum is exact. */
    double trace = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int64_t sum = 0;
            for (int k = 0; k < n; k++)
                sum += (int64_t)a[i][k] * (int64_t)b[k][j];
            if (c[i][j] != (double)sum) {
                fprintf(stderr, "c[%d][%d]: wrong result\n", i, j);
                return 1;
            }
            trace += i == j ? c[i][j] : 0;
        }
    report("multiply", trace, 1);
    return 0;
}
