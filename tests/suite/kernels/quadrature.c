/* Numerical integration, Newton per element, polynomial tables, function pointers. */
#include <math.h>
#include <stdio.h>
#define STEPS 4000
static double coeff[8] = {1, -2, 0.5, 3, -1, 0.25, 0.1, -0.05}, roots[300], table[300][8];

static double poly(double x) {
  int i;
  double r = 0;
  for (i = 7; i >= 0; i--)
    r = r * x + coeff[i];
  return r;
}

static double trapezoid(double (*f)(double), double a, double b, int n) {
  double h = (b - a) / n, s = (f(a) + f(b)) / 2;
  int i;
  for (i = 1; i < n; i++)
    s += f(a + i * h);
  return s * h;
}

static double simpson(double (*f)(double), double a, double b, int n) {
  double h = (b - a) / n, s = f(a) + f(b), x = a;
  int i;
  for (i = 1; i < n; i++) {
    x += h;
    s += (i % 2 ? 4 : 2) * f(x);
  }
  return s * h / 3;
}

int main(void) {
  int i, k, steps = 0;
  double x, dx, s = 0, power;
  for (i = 0; i < 300; i++) {
    x = 1 + i * 0.01;
    for (k = 0; k < 20; k++) {
      dx = (x * x - (i + 1)) / (2 * x);
      x -= dx;
      steps++;
      if (fabs(dx) < 1e-12)
        break;
    }
    roots[i] = x;
  }
  for (i = 0; i < 300; i++) {
    power = 1;
    for (k = 0; k < 8; k++) {
      table[i][k] = power;
      power *= i * 0.01;
    }
  }
  for (i = 0; i < 300; i++)
    s += roots[i] + table[i][i % 8];
  printf("%.9f %.9f %d %.9f\n", trapezoid(poly, 0, 2, STEPS), simpson(poly, 0, 2, STEPS), steps, s);
  return 0;
}
