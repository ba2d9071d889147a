/* Sums and products without error. */
#ifndef ERRORFREE_H
#define ERRORFREE_H

#include "check.h"

/* s + e = a + b exactly (Knuth): 6 operations. */
PART double two_sum(double a, double b, double *e) {
    double s = a + b;
    double z = s - a;
    *e = (a - (s - z)) + (b - z);
    return s;
}

/* The same where |a| >= |b| (Dekker): 3 operations. */
PART double fast_two_sum(double a, double b, double *e) {
    double s = a + b;
    *e = b - (s - a);
    return s;
}

#endif
