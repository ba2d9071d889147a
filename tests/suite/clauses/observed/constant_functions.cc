// Small functions that only read: what they would read where they never ran, other iterations may write. Those in tests
// of loops are part of these.
#include <cstdio>

#define NOINLINE __attribute__((noinline))
#define N 400

static double a[N], b[N], total;
static double limit = 1e9;
static int length = N;

static int count() { return length; }
static double first() { return a[0]; }

struct Series {
  double values[N];
  double *kept = values;
  int length = N;
  double last() const { return kept[N - 1]; }
  double at(int i) const { return values[i]; }
  int size() const { return length; }
  int elements() { return length; }
};

NOINLINE static void constant(Series *s) {
  // clauses: unchecked -- last() did not run
  for (int i = 0; i < N; i++) {
    double x = 0;
    if (b[i] > limit)
      x = s->last();
    s->values[i] = b[i] + x;
  }
}

NOINLINE static void of_the_file() {
  // clauses: unchecked -- first() did not run
  for (int i = 0; i < N; i++) {
    double x = 0;
    if (b[i] > limit)
      x = first();
    a[i] = b[i] + x;
  }
}

NOINLINE static void inside(Series *s) {
  // clauses: unchecked -- last(), in the test of a loop that never came to it
  for (int i = 0; i < N; i++) {
    double x = b[i];
    while (x > limit && s->last() < x)
      x /= 2;
    s->values[i] = x;
  }
}

NOINLINE static void ran(Series &s) {
  // clauses: none -- called functions, of which all ran here
  for (int i = 0; i < N; i++)
    a[i] = s.at(i) + b[i] + count();
}

NOINLINE static void tests(Series &s) {
  // clauses: none -- count() is part of the loop's test, though elsewhere it is called
  for (int i = 0; i < count(); i++)
    a[i] = b[i] * 2;
  // clauses: none -- as are functions of classes
  for (int i = 0; i < s.size(); i++)
    s.values[i] = b[i] * 2;
  // clauses: none -- also those that are not constant
  for (int i = 0; i < s.elements(); i++)
    s.values[i] = b[i] * 2;
}

int main() {
  static Series s;
  for (int i = 0; i < N; i++)
    b[i] = i * 3 % 7;
  constant(&s);
  of_the_file();
  inside(&s);
  ran(s);
  tests(s);
  for (int i = 0; i < N; i++)
    total += a[i] + s.values[i];
  printf("%g %g %g %d %d %d\n", total, first(), s.last(), count(), s.size(), s.elements());
}
