// levels: O0 O1 O3
// Sums in what lambdas capture, and in structures that live in registers: no other than those in variables.
#include <cstdio>
enum { N = 64 };
static double a[N], b[N];

static double by_copy() {
  double sum = 0;
  int hits = 0;
  auto f = [sum, hits](double k) mutable {
    // expect: DOALL_REDUCTION(+:sum,+:hits)
    // clauses: words -- no clause names what a lambda captures
    for (int i = 0; i < N; i++) {
      sum += a[i] * k;
      hits++;
    }
    return sum + hits;
  };
  return f(2);
}

struct sums {
  double all;
  int hits;
};

static double in_registers() {
  struct sums s = {0, 0};
  // expect: DOALL_REDUCTION
  // clauses: words -- lines around it
  for (int i = 0; i < N; i++) {
    s.all += a[i];
    s.hits++;
  }
  return s.all + s.hits;
}

struct holder {
  double sum = 0, part[3] = {};
  void run() {
    // expect: DOALL_REDUCTION
    // clauses: words -- of an object
    for (int i = 0; i < N; i++) {
      sum += a[i];
      part[1] += b[i];
    }
    auto scaled = [&, this](double k) {
      for (int i = 0; i < N; i++)
        b[i] += k * sum;
    };
    scaled(2);
  }
};

int main() {
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i % 7;
  holder h;
  h.run();
  std::printf("%g %g %g %g %g\n", by_copy(), in_registers(), h.sum, h.part[1], b[3]);
}
