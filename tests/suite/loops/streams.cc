// levels: O0 O1 O3
// Streams of C++: one that iterations share puts them in order, one of its own does not.
#include <cerrno>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
constexpr int n = 64;
static double x[n];
static int lengths[n], read[n];

static void shown() {
  // expect: CARRIED
  // carried: std::cout +1->+1 distance 1
  // carried: more -- characters ask for the width first, and the stream is named by what it is reached through
  for (int i = 0; i < n; i++)
    std::cout << x[i] << '\n';
}

static void given(std::ostream &out) {
  // expect: CARRIED
  // carried: more -- the stream has no name of its own here
  for (int i = 0; i < n; i++)
    out << i << " and " << x[i] << std::endl;
}

static void taken(std::istream &in) {
  // expect: CARRIED
  // carried: more -- as above
  for (int i = 0; i < n; i++)
    in >> read[i];
}

static void own() {
  // expect: DOALL
  // clauses:
  // made in every iteration, though at the same address
  for (int i = 0; i < n; i++) {
    std::ostringstream out;
    out << i;
    lengths[i] = static_cast<int>(out.tellp());
  }
}

static void kept_errno() {
  // expect: DOALL
  // clauses:
  // errno is each thread's own
  for (int i = 0; i < n; i++) {
    int before = errno;
    errno = 0;
    lengths[i] += errno;
    errno = before;
  }
}

int main() {
  for (int i = 0; i < n; i++)
    x[i] = i * 0.5;
  shown();
  std::ostringstream out;
  given(out);
  std::istringstream in("1 2 3 4 5 6 7 8 9 10");
  taken(in);
  own(), kept_errno();
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += lengths[i] + read[i];
  std::cout << sum << '\n' << out.str().size() << '\n';
}
