/* Sums of N numbers (PerPI, figures 2 to 6): plain, and five ways to get them right.
   sum2, sum_xblas: Ogita, Rump and Oishi, Accurate sum and dot product, 2005 (the latter after XBLAS).
   acc_sum: Rump, Ogita and Oishi, Accurate floating-point summation part I, 2008. fast_acc_sum: Rump, Ultimately fast accurate summation, 2009.
   The numbers are multiples of 2^-60 below 2^42, so that 128-bit integers add them exactly. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "errorfree.h"

#define MOST 100000

PART double added(const double *p, long n) {
    double s = p[0];
    for (long i = 1; i < n; i++)
        s += p[i];
    return s;
}

KERNEL double sum(const double *p, long n) { return added(p, n); }

KERNEL double sum2(const double *p, long n) {
    double s = p[0], sigma = 0;
    for (long i = 1; i < n; i++) {
        double e;
        s = two_sum(s, p[i], &e);
        sigma += e;
    }
    return s + sigma;
}

KERNEL double sum_xblas(const double *p, long n) {
    double s = 0, t = 0;
    for (long i = 0; i < n; i++) {
        double e, f = two_sum(s, p[i], &e);
        s = fast_two_sum(f, t + e, &t);
    }
    return s;
}

/* The power of two at or above |x|, x not 0. */
PART double power_above(double x) {
    double q = x / EPS;
    double power = fabs(q - (q - x));
    return power == 0 ? fabs(x) : power;
}

/* Takes from every number what is a multiple of EPS * sigma; their sum. */
#ifndef VECTORS
KERNEL double extract_vector(double sigma, double *p, long n) {
    double tau = 0;
    for (long i = 0; i < n; i++) {
        double q = (sigma + p[i]) - sigma;
        tau += q;
        p[i] -= q;
    }
    return tau;
}
#else
/* So many at a time: the sum is exact, so that its order does not matter, which no compiler can know. */
typedef double vector __attribute__((vector_size(8 * VECTORS)));

KERNEL double extract_vector(double sigma, double *p, long n) {
    vector taus = {0};
    double tau = 0;
    long i = 0;
    for (; i + VECTORS <= n; i += VECTORS) {
        vector x;
        memcpy(&x, p + i, sizeof x);
        vector q = (sigma + x) - sigma;
        taus += q;
        x -= q;
        memcpy(p + i, &x, sizeof x);
    }
    for (int lane = 0; lane < VECTORS; lane++)
        tau += taus[lane];
    for (; i < n; i++) {
        double q = (sigma + p[i]) - sigma;
        tau += q;
        p[i] -= q;
    }
    return tau;
}
#endif

KERNEL double largest(const double *p, long n) {
    double mu = 0;
    for (long i = 0; i < n; i++)
        if (fabs(p[i]) > mu)
            mu = fabs(p[i]);
    return mu;
}

/* The rounded sum, faithfully; overwrites p. */
KERNEL double acc_sum(double *p, long n) {
    for (;;) {
        double mu = largest(p, n);
        if (mu == 0)
            return 0;
        double power = power_above((double)(n + 2));
        double sigma = power * power_above(mu);
        double phi = EPS * power, factor = 2 * phi * power;
        double t = 0;
        for (;;) {
            double tau = extract_vector(sigma, p, n);
            double t1 = t + tau;
            if (fabs(t1) >= factor * sigma || sigma <= DBL_MIN)
                return t1 + ((tau - (t1 - t)) + added(p, n));
            t = t1;
            if (t == 0)
                break; /* nothing is left of the extracted parts: anew with the rest */
            sigma *= phi;
        }
    }
}

/* The same with a moving sigma; the sum of what was taken. */
KERNEL double extract_moving(double first, double *p, long n) {
    double sigma = first;
    for (long i = 0; i < n; i++) {
        double next = sigma + p[i];
        p[i] -= next - sigma;
        sigma = next;
    }
    return sigma - first;
}

KERNEL double sum_of_magnitudes(const double *p, long n) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += fabs(p[i]);
    return s;
}

/* The rounded sum, faithfully; overwrites p. */
KERNEL double fast_acc_sum(double *p, long n) {
    for (;;) {
        double bound = sum_of_magnitudes(p, n) / (1 - n * EPS);
        if (bound <= DBL_MIN / EPS)
            return added(p, n);
        double t, tau, next = 0, limit;
        do {
            double sigma = 2 * bound / (1 - (3.0 * n + 1) * EPS);
            tau = extract_moving(sigma, p, n);
            t = next;
            next = t + tau;
            if (next == 0)
                break;
            double q = (0.5 / EPS + 1) * sigma;
            double u = fabs(q - (1 - EPS) * q); /* the power of two at or below sigma */
            limit = 2.0 * n * (n + 2) * EPS * u / (1 - 5 * EPS);
            bound = fmin((1.5 + 4 * EPS) * (n * EPS) * sigma, 2.0 * n * EPS * u);
        } while (fabs(next) < limit && 4 * bound > DBL_MIN / EPS);
        if (next != 0)
            return next + (((t - next) + tau) + added(p, n));
    }
}

static double numbers[MOST], scratch[MOST];
static double exact, magnitudes;

/* Large numbers, each with its negative, and small ones, of which the sum consists. */
static void fill(int n) {
    for (int i = 0; i < n; i++) {
        double large = (double)(int64_t)(next_random() >> 12) * 0x1p-10;
        double small = (double)(int64_t)(next_random() >> 12) * 0x1p-60;
        numbers[i] = i % 3 == 0 && i + 1 < n ? large : i % 3 == 1 ? -numbers[i - 1] : small;
    }
    for (int i = n - 1; i > 0; i--) {
        int other = (int)(next_random() % (uint64_t)(i + 1));
        double kept = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = kept;
    }
    __int128 total = 0;
    for (int i = 0; i < n; i++) {
        total += (__int128)(numbers[i] * 0x1p60);
        magnitudes += fabs(numbers[i]);
    }
    exact = (double)total * 0x1p-60;
}

/* Whether a result is the exact sum or a neighbour of its rounding. */
static int faithful(double result) {
    return result == exact || result == nextafter(exact, INFINITY) || result == nextafter(exact, -INFINITY);
}

/* Whether a result is off by no more than rounding and so many EPS * EPS of the sum of magnitudes. */
static int within(double result, double squares) {
    return fabs(result - exact) <= 2 * EPS * fabs(exact) + squares * EPS * EPS * magnitudes;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 100, MOST);
    fill(n);
    double plain = sum(numbers, n);
    report("sum", plain, fabs(plain - exact) <= n * EPS * magnitudes);
    double result = sum2(numbers, n);
    report("sum2", result, within(result, (double)n * n));
    result = sum_xblas(numbers, n);
    report("sum_xblas", result, within(result, (double)n * n));
    memcpy(scratch, numbers, sizeof *numbers * (size_t)n);
    result = acc_sum(scratch, n);
    report("acc_sum", result, faithful(result));
    memcpy(scratch, numbers, sizeof *numbers * (size_t)n);
    result = fast_acc_sum(scratch, n);
    report("fast_acc_sum", result, faithful(result));
    /* The numbers are such that this matters. */
    if (n >= 100 && plain == exact) {
        fprintf(stderr, "sum: exact by accident\n");
        return 1;
    }
    return 0;
}
