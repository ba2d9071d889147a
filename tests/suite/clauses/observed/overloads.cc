// Functions of one name, of which the loop ran one and not the other: what that other does, no run has shown. Nor what
// a short function of the library does.
#include <cstdio>
#include <vector>

#define NOINLINE __attribute__((noinline))
#define N 400

static double a[N], b[N];
static double limit = 1e9;
static int errors;
static std::vector<int> found;

struct Log {
  NOINLINE double note(double x) { return x * 2; }
};
struct Error {
  NOINLINE double note(double x) {
    errors++;
    return x * 2;
  }
};

NOINLINE static double check(int x) { return x * 2; }
NOINLINE static double check(double x) {
  errors++;
  return x;
}

template <class T> NOINLINE static T report(T x) {
  errors++;
  return x * 2;
}

template <class T> NOINLINE static double square(T x) { return x * 2.0; }

NOINLINE static void methods(Log &log, Error &error) {
  // clauses: unchecked -- Error::note did not run
  for (int i = 0; i < N; i++) {
    b[i] = log.note(a[i]);
    if (b[i] > limit)
      b[i] = error.note(b[i]);
  }
}

NOINLINE static void overloads() {
  // clauses: unchecked -- check(double) did not run
  for (int i = 0; i < N; i++) {
    b[i] = check(i);
    if (b[i] > limit)
      b[i] = check(b[i]);
  }
}

NOINLINE static void templates() {
  // clauses: unchecked -- report<double> did not run
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      b[i] = report(b[i]);
  }
}

NOINLINE static void instances() {
  // clauses: unchecked -- square<int> did not run
  for (int i = 0; i < N; i++) {
    b[i] = square(a[i]);
    if (b[i] > limit)
      b[i] = square(i);
  }
}

NOINLINE static void library() {
  // clauses: unchecked -- push_back did not run
  for (int i = 0; i < N; i++) {
    b[i] = a[i] * 3;
    if (b[i] > limit)
      found.push_back(i);
  }
}

NOINLINE static void all_ran(Log &log) {
  // clauses: none -- called functions, of which all ran here, though others of their names did not
  for (int i = 0; i < N; i++)
    b[i] = check(i) + square(a[i]) + log.note(a[i]);
}

int main() {
  Log log{};
  Error error{};
  for (int i = 0; i < N; i++)
    a[i] = i * 7 % 101;
  methods(log, error);
  overloads();
  templates();
  instances();
  library();
  all_ran(log);
  printf("%g %d\n", b[77], errors);
}
