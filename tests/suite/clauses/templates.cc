// Globals in templates and lambdas: clang 22 has no copies of those in a `reduction` of a template, and compiles no clause with one in a lambda
// that does not capture by default, or in a generic one. Variables of the function itself are as everywhere.
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int n = 3000;
static int v[n], w[n];
static int seen, last, hits;
static double sum;
namespace ns {
static long total;
}

template <class T> static void in_a_template(const T *p, T lim) {
  // clauses: words -- threads would add to the one `seen`
  for (int i = 0; i < n; i++) {
    if (p[i] > lim)
      seen++;
    sum += 0.5;
  }
}

template <class T> struct Box {
  T lim;
  struct Inner {
    int add() const;
  };
  long hits() {
    // clauses: words
    for (int i = 0; i < n; i++)
      ns::total += v[i] > lim;
    return ns::total;
  }
};

template <class T> int Box<T>::Inner::add() const {
  // clauses: words -- a member of a class in a template
  for (int i = 0; i < n; i++)
    ::hits += v[i] & 3;
  return ::hits;
}

template <class T> static T local_of_a_template(const std::vector<T> &p) {
  T all = 0;
  // clauses: reduction(+:all)
  for (int i = 0; i < n; i++)
    all += p[i];
  return all;
}

// An argument that is an instance makes no template of a function.
static int of_a_vector(const std::vector<int> &p) {
  // clauses: reduction(+:seen)
  for (int i = 0; i < n; i++)
    seen += p[i] & 1;
  return seen;
}

struct Wrapped {
  int value;
  bool operator<(int other) const {
    // clauses: reduction(+:seen)
    for (int i = 0; i < n; i++)
      seen += v[i] < value;
    return value < other;
  }
};

static int in_lambdas(int lim) {
  auto plain = [](int z) {
    // clauses: words -- `seen` cannot be captured
    for (int i = 0; i < n; i++)
      seen += v[i] > z;
  };
  plain(lim);
  auto scratch = [&lim]() {
    // clauses: words
    for (int i = 0; i < n; i++) {
      last = v[i] & lim;
      w[i] = last + 2;
    }
  };
  scratch();
  auto generic = [&](auto k) {
    // clauses: words
    for (int i = 0; i < n; i++)
      hits += v[i] * k;
  };
  generic(3);
  auto own = [lim]() {
    int all = 0;
    // clauses: reduction(+:all)
    for (int i = 0; i < n; i++)
      all += v[i] > lim;
    return all;
  };
  return seen + hits + last + own();
}

int main() {
  for (int i = 0; i < n; i++)
    v[i] = i * 31 % 1007;
  std::vector<int> p(v, v + n);
  in_a_template(v, 5);
  Box<int> box{7};
  long all = box.hits() + Box<int>::Inner().add() + local_of_a_template(p) + of_a_vector(p) + in_lambdas(40);
  all += Wrapped{9} < 12;
  std::printf("%d %g %d %d %ld %d\n", seen, sum, hits, last, all, w[17]);
}
