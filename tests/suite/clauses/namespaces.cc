// Variables of namespaces and static members of classes: clauses name them as the loop's function reaches them.
#include <cstdio>
#include <vector>

constexpr int n = 1000;
static std::vector<double> a(n);
static double raw[n];

namespace app {
double total, scratch, largest;
int seen, at;
namespace in {
double total;
}
struct S {
  static double sum;
  static double add_up();
};
double S::sum = 0;

double inside() {
  // clauses: reduction(+:total)
  for (int i = 0; i < n; i++)
    total += a[i];
  // clauses: reduction(+:in::total)
  for (int i = 0; i < n; i++)
    in::total += a[i];
  return total + in::total;
}

double S::add_up() {
  // clauses: words -- a static member of a class is shared, whatever a clause says
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum;
}
} // namespace app

namespace {
double hidden;
}
namespace other {
double total;
}

static void outside() {
  // clauses: reduction(+:app::total,app::seen)
  for (int i = 0; i < n; i++) {
    app::total += a[i];
    app::seen++;
  }
  // clauses: reduction(+:app::in::total)
  for (int i = 0; i < n; i++)
    app::in::total += a[i];
  // clauses: reduction(+:hidden)
  for (int i = 0; i < n; i++)
    hidden += a[i];
}

static void set_before_use() {
  // clauses: lastprivate(app::scratch)
  for (int i = 0; i < n; i++) {
    app::scratch = raw[i] * 2;
    raw[i] = app::scratch + 1;
  }
}

using namespace app;

static void used() {
  // clauses: reduction(+:app::seen)
  for (double x : a)
    seen += x > 3;
  // clauses: reduction(+:app::seen)
  for (int i = 0; i < n; i++)
    seen += a[i] > 4;
}

// Two of one name, both by this name in its scope, or one of them through a function.
static void both() {
  // clauses: words
  for (int i = 0; i < n; i++) {
    app::total += a[i];
    other::total -= a[i];
  }
}

static inline void more(double x) { app::total += x; }

static void through_a_function() {
  double total = 0;
  // clauses: words -- no name of the one that the function adds to stands in the loop
  for (int i = 0; i < n; i++) {
    total += a[i];
    more(a[i]);
  }
  other::total += total;
}

static void local_of_that_name() {
  double total = 0;
  // clauses: reduction(+:total)
  for (int i = 0; i < n; i++)
    total += a[i];
  app::total -= total;
}

int main() {
  for (int i = 0; i < n; i++)
    a[i] = raw[i] = i * 31 % 997;
  double sum = app::inside() + app::S::add_up();
  outside();
  set_before_use();
  used();
  both();
  through_a_function();
  local_of_that_name();
  std::printf("%.15g %.15g %.15g %.15g %d %.15g\n", sum, app::total, other::total, hidden, app::seen, raw[7] + app::scratch);
}
