// Iterative radix-2 fast Fourier transform, forward and back.  Arguments: log2 of the points, rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double re, im;
} complex_t;

static void transform(int bits, complex_t *a, const complex_t *root, int back) {
    long n = 1L << bits;
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            complex_t t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
    }
    for (long half = 1; half < n; half *= 2)
        for (long base = 0; base < n; base += 2 * half)
            for (long k = 0; k < half; k++) {
                complex_t w = root[k * (n / (2 * half))];
                if (back)
                    w.im = -w.im;
                complex_t u = a[base + k], v = a[base + k + half];
                complex_t t = {v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
                a[base + k] = (complex_t){u.re + t.re, u.im + t.im};
                a[base + k + half] = (complex_t){u.re - t.re, u.im - t.im};
            }
}

int main(int argc, char **argv) {
    int bits = argc > 1 ? atoi(argv[1]) : 18, rounds = argc > 2 ? atoi(argv[2]) : 4;
    long n = 1L << bits;
    complex_t *a = malloc(n * sizeof *a), *root = malloc(n / 2 * sizeof *root);
    if (!a || !root)
        return 1;
    for (long i = 0; i < n; i++)
        a[i] = (complex_t){(double)(i * 37 % 1021), (double)(i * 53 % 509)};
    for (long k = 0; k < n / 2; k++) {
        double angle = -2.0 * 3.14159265358979323846 * (double)k / (double)n;
        root[k] = (complex_t){cos(angle), sin(angle)};
    }
    for (int round = 0; round < rounds; round++) {
        transform(bits, a, root, 0);
        transform(bits, a, root, 1);
        for (long i = 0; i < n; i++)
            a[i] = (complex_t){a[i].re / (double)n, a[i].im / (double)n};
    }
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i].re * (double)(i % 5) + a[i].im;
    printf("fft %d %d %.6e\n", bits, rounds, sum);
    free(a);
    free(root);
    return 0;
}
