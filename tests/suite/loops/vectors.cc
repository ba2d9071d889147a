// levels: O1 O3
// Loops over containers of C++: bounds by size(), ranges, growth, bits that share a word. (Not at -O0: there std::string grows in the
// library's own code, which is not instrumented: a blind spot.)
#include "show.h"
#include <map>
#include <string>
#include <vector>
static constexpr int N = 64;

static void sized(std::vector<int> &v, int *p) {
  // expect: DOALL fn=sized
  // clauses:
  for (size_t i = 0; i < v.size(); i++)
    p[i] = v[i] * 2;
}

static void in_place(std::vector<int> &v) {
  // expect: DOALL fn=in_place
  // clauses:
  for (size_t i = 0; i < v.size(); i++)
    v[i] = v[i] * 3 + 1;
}

static void prefix(std::vector<int> &v) {
  // expect: CARRIED fn=prefix
  // carried: v[] +1->+1 distance 1
  for (size_t i = 1; i < v.size(); i++)
    v[i] += v[i - 1];
}

static void ranged(std::vector<double> &v) {
  // expect: DOALL fn=ranged
  // clauses:
  for (double &x : v)
    x = x * 0.5 + 1;
}

static void growing(std::vector<int> &v) {
  // expect: CARRIED fn=growing
  // carried: v +1->+1 distance any
  // carried: more -- members of the vector, in the library
  // every push_back reads the end that the one before moved
  for (int i = 0; i < N; i++)
    v.push_back(i * 3);
}

static void worklist(std::vector<int> &v) {
  // expect: CARRIED fn=worklist
  // carried: v +2->+0 distance any
  // carried: v[] +2->+1 distance any
  // carried: more -- members of the vector, in the library
  // size() grows while the loop runs
  for (size_t i = 0; i < v.size(); i++)
    if (v[i] > 1)
      v.push_back(v[i] / 2);
}

static void bits(std::vector<bool> &v) {
  // expect: CARRIED fn=bits
  // carried: ? +1->+1 distance 1
  // (the word is reached through an object of the library)
  // 64 bits in a word: writing one reads what was written to the others
  for (int i = 0; i < N; i++)
    v[i] = i % 3 == 0;
}

static void appended(std::string &s) {
  // expect: CARRIED fn=appended
  // carried: s +1->+1 distance any
  // carried: more -- the text itself, in the library
  for (int i = 0; i < N; i++)
    s += static_cast<char>('a' + i % 26);
}

static void inserted(std::map<int, int> &m) {
  // expect: CARRIED fn=inserted
  // carried: more -- nodes of the tree, in the library
  for (int i = 0; i < N; i++)
    m[i * 7 % 31] = i;
}

static void rows(std::vector<std::vector<int>> &m) {
  // expect: DOALL fn=rows
  // clauses:
  for (size_t i = 0; i < m.size(); i++)
    for (size_t j = 0; j < m[i].size(); j++)
      m[i][j] = static_cast<int>(i * j);
}

static void previous_rows(std::vector<std::vector<int>> &m) {
  // expect: CARRIED fn=previous_rows
  // carried: m +4->+4 distance 1
  for (size_t i = 1; i < m.size(); i++)
    // expect: DOALL fn=previous_rows
    // clauses:
    for (size_t j = 0; j < m[i].size(); j++)
      m[i][j] += m[i - 1][j];
}

static void temporaries(int *out) {
  // expect: DOALL fn=temporaries
  // clauses:
  // the address of i is handed over to be copied: an index all the same
  // a vector of its own in every iteration, most likely in the same block
  for (int i = 0; i < N; i++) {
    std::vector<int> t(8, i);
    t[i & 7] += 5;
    out[i] = t[3] + t[i & 7];
  }
}

static void words(int *out) {
  // expect: DOALL fn=words
  // clauses:
  for (int i = 0; i < N; i++) {
    std::string s = std::to_string(i * 77);
    out[i] += static_cast<int>(s.size());
  }
}

int main() {
  std::vector<int> v(N), grown, list{40, 30, 20};
  std::vector<double> d(N, 2.0);
  std::vector<bool> b(N);
  std::vector<std::vector<int>> m(N, std::vector<int>(8));
  std::map<int, int> table;
  std::string s;
  int out[N];
  for (int i = 0; i < N; i++)
    v[i] = i * 7 % 23;
  sized(v, out);
  SHOW(out);
  in_place(v);
  prefix(v);
  ranged(d);
  growing(grown);
  worklist(list);
  bits(b);
  appended(s);
  inserted(table);
  rows(m);
  previous_rows(m);
  temporaries(out);
  words(out);
  long sum = 0;
  for (int i = 0; i < N; i++)
    sum = sum * 3 % 1000003 + v[i] + grown[i] + b[i] + s[i] + m[i][5] + static_cast<long>(d[i] * 8);
  for (const auto &e : table)
    sum += e.first * e.second;
  SHOW(out);
  printf("%ld %zu\n", sum, list.size());
}
