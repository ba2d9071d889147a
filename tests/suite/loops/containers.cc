// STL containers and iterators. Small accessors of system headers (operator[], size(), iterators) belong to the statement
// that uses them; larger member functions are regions of their own.
#include <array>
#include <list>
#include <map>
#include <numeric>
#include <string>
#include <vector>

constexpr int n = 64;

static void index_loop(std::vector<double> &v, const std::vector<double> &w) {
  // expect: DOALL sp=64
  // clauses:
  // the bound is a constant; operator[] loads the begin pointer 4, then load 4, multiply 3, store 1
  for (int i = 0; i < n; i++)
    v[i] = w[i] * 2.0;
}

static void hoisted_size(std::vector<int> &v) {
  // expect: DOALL sp=64
  // clauses: words -- two variables are set before the loop
  for (std::size_t i = 0, end = v.size(); i < end; i++)
    v[i] = static_cast<int>(i) * 3;
}

static void size_in_test(std::vector<int> &v) {
  // expect: DOALL sp=64
  // clauses:
  // the bound is read from the vector in every test, but nothing in the loop can change it
  for (std::size_t i = 0; i < v.size(); i++)
    v[i] = static_cast<int>(i) + 3;
}

static void range_array(std::array<int, n> &a) {
  // expect: DOALL sp=64
  // clauses:
  // begin and end are pointers: an induction variable
  for (int &x : a)
    x = x * 3;
}

static void range_plain() {
  static int a[n];
  // expect: DOALL sp=64
  // clauses:
  for (int &x : a)
    x = x * 3;
}

static void range_vector(std::vector<int> &v) {
  // expect: DOALL sp=64
  // clauses:
  // the iterator is a pointer in a struct
  for (int &x : v)
    x = x * 3;
}

static void iterators(std::vector<int> &v) {
  // expect: DOALL sp=64
  // clauses:
  for (std::vector<int>::iterator it = v.begin(); it != v.end(); ++it)
    *it = *it ^ 1;
}

static int list_walk(const std::list<int> &l) {
  int s = 0;
  // expect: SERIAL sp=1
  // carried: __begin1 +0->+0 distance 1
  // (the iterator that the loop over a range has)
  // the next node is a load 4 from this one, and the test for the end 1; the element's load 4 and addition 1 take as long
  for (int x : l)
    s += x;
  return s;
}

static int map_walk(const std::map<int, int> &m) {
  int s = 0;
  // expect: SERIAL
  // carried: __begin1 +0->+0 distance 1
  // the successor in the tree is found from this node, in code that was not instrumented
  for (const auto &[key, value] : m)
    s ^= key * value;
  return s;
}

static int accumulate(const std::vector<std::vector<int>> &rows) {
  int sums[n];
  // expect: DOALL sp=64
  // clauses:
  // a whole algorithm per iteration
  for (int i = 0; i < n; i++)
    sums[i] = std::accumulate(rows[i].begin(), rows[i].end(), 0);
  return sums[0] + sums[n - 1];
}

static void append(std::vector<int> &v) {
  // expect: SERIAL sp<=2
  // carried: v +1->+1 distance 1
  // carried: more -- members of the vector, in the library
  // the end pointer is stepped by every push_back
  for (int i = 0; i < n; i++)
    v.push_back(i);
}

static void text(std::string &s) {
  // expect: DOALL sp=64
  // clauses:
  // single bytes, the length is known
  for (int i = 0; i < n; i++)
    s[i] = static_cast<char>('a' + i % 26);
}

int main() {
  std::vector<double> d(n), e(n);
  std::vector<int> v(n), grown;
  grown.reserve(n);
  std::array<int, n> a{};
  std::list<int> l(v.begin(), v.end());
  std::map<int, int> m;
  for (int i = 0; i < n; i++)
    m[i] = i;
  std::vector<std::vector<int>> rows(n, std::vector<int>(8, 1));
  std::string s(n, ' ');
  index_loop(d, e);
  hoisted_size(v);
  size_in_test(v);
  range_array(a);
  range_plain();
  range_vector(v);
  iterators(v);
  append(grown);
  text(s);
  return list_walk(l) + map_walk(m) + accumulate(rows) == -1;
}
