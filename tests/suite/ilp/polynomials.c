/* Values of a polynomial of degree N (PerPI, tables 1 and 2, after Langlois and Louvet 2007): Horner's rule, the same compensated
   (AccurateEval1), and in double-double arithmetic (AccurateEval2). One call each, of 2n, 22n + 5 and 28n + 4 floating-point operations. */

#include <math.h>

#include "errorfree.h"

#define MOST 100000
#define SPLITTER 134217729.0 /* 2^27 + 1 */

/* high + low = a exactly, both of at most 26 bits (Veltkamp): 4 operations. */
PART double split(double a, double *low) {
    double c = SPLITTER * a;
    double high = c - (c - a);
  *low = a - high;
    return high;
}

/* p + e = a * b exactly, b split before (Dekker): 13 operations. */
PART double two_product(double a, double b, double b_high, double b_low, double *e) {
    double a_low, a_high = split(a, &a_low);
    double p = a * b;
  *e = a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return p;
}

KERNEL double horner(const double *a, long n, double x) {
    double s = a[n];
    for (long i = n - 1; i >= 0; i--)
        s = s * x + a[i];
    return s;
}

KERNEL double compensated_horner(const double *a, long n, double x) {
    double x_low, x_high = split(x, &x_low);
    double s = a[n], r = 0;
    for (long i = n - 1; i >= 0; i--) {
        double pi, sigma, p = two_product(s, x, x_high, x_low, &pi);
        s = two_sum(p, a[i], &sigma);
        r = r * x + (pi + sigma);
    }
    return s + r;
}

KERNEL double double_double_horner(const double *a, long n, double x) {
    double x_low, x_high = split(x, &x_low);
    double s = a[n], t = 0;
    for (long i = n - 1; i >= 0; i--) {
        /* (s, t) * x */
        double e, p = two_product(s, x, x_high, x_low, &e);
        p = fast_two_sum(p, t * x + e, &e);
        /* + a[i] */
        double f, q = two_sum(p, a[i], &f);
        s = fast_two_sum(q, e + f, &t);
    }
    return s;
}

static double coefficients[MOST + 1];

/* The value in 113 bits, and the sum of the magnitudes of its terms. */
static __float128 exact(long n, double x, double *magnitudes) {
    __float128 s = 0;
    double m = 0;
    for (long i = n; i >= 0; i--) {
        s = s * x + coefficients[i];
        m = m * fabs(x) + fabs(coefficients[i]);
    }
  *magnitudes = m;
    return s;
}

/* Whether a result is as good as one computed in twice the precision and rounded at the end. */
static int as_if_doubled(double result, long n, double x) {
    double magnitudes;
    __float128 value = exact(n, x, &magnitudes);
    double error = fabs((double)(result - value));
    double gamma = 4 * n * EPS;
    return error <= EPS * fabs((double)value) + gamma * gamma * magnitudes;
}

static void evaluate(long n, double x) {
    double magnitudes, value = (double)exact(n, x, &magnitudes);
    double result = horner(coefficients, n, x);
    report("horner", result, fabs(result - value) <= 4 * n * EPS * magnitudes);
    result = compensated_horner(coefficients, n, x);
    report("compensated", result, as_if_doubled(result, n, x));
    result = double_double_horner(coefficients, n, x);
    report("double-double", result, as_if_doubled(result, n, x));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 1000, MOST);
    if (argc > 2 && argv[2][0] == 'r') {
        /* (x - 1)^8 close to its root, where Horner's rule has no right digit. */
        static const double power[] = {1, -8, 28, -56, 70, -56, 28, -8, 1};
        for (n = 0; n <= 8; n++)
            coefficients[n] = power[n];
        double x = 1 + 0x1p-10, right = 0x1p-80;
        report("horner", horner(coefficients, 8, x), fabs(horner(coefficients, 8, x) - right) > right);
        report("compensated", compensated_horner(coefficients, 8, x), fabs(compensated_horner(coefficients, 8, x) - right) < 1e-3 * right);
        report("double-double", double_double_horner(coefficients, 8, x), fabs(double_double_horner(coefficients, 8, x) - right) < 1e-3 * right);
        return 0;
    }
    for (long i = 0; i <= n; i++)
        coefficients[i] = (double)(int64_t)next_random() * 0x1p-63;
    evaluate(n, -1.0 + 0x1p-12);
    return 0;
}
