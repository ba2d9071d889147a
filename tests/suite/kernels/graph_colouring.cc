// C++: greedy colouring, adjacency lists, iterators, std::map, reductions over containers.
#include <cstdio>
#include <map>
#include <set>
#include <vector>

using Graph = std::vector<std::vector<int>>;

static Graph make(int n) {
  Graph g(n);
  for (int i = 0; i < n; i++)
    for (int k = 1; k <= 5; k++) {
      int j = (i * (k + 3) + 7 * k) % n;
      if (i != j) {
        g[i].push_back(j);
        g[j].push_back(i);
      }
    }
  return g;
}

static std::vector<int> colour(const Graph &g) {
  std::vector<int> c(g.size(), -1);
  for (size_t v = 0; v < g.size(); v++) {
    std::set<int> used;
    for (int w : g[v])
      if (c[w] >= 0)
        used.insert(c[w]);
    int k = 0;
    while (used.count(k))
      k++;
    c[v] = k;
  }
  return c;
}

int main() {
  Graph g = make(300);
  std::vector<int> c = colour(g), degree(g.size()), common(g.size());
  std::map<int, int> histogram;
  int conflicts = 0, most = 0;
  long edges = 0;
  for (size_t v = 0; v < g.size(); v++)
    degree[v] = static_cast<int>(g[v].size());
  for (size_t v = 0; v < g.size(); v++)
    for (int w : g[v])
      for (int x : g[w])
        if (x == static_cast<int>(v))
          common[v]++;
  for (size_t v = 0; v < g.size(); v++) {
    for (int w : g[v])
      if (c[v] == c[w])
        conflicts++;
    edges += degree[v];
    if (c[v] > most)
      most = c[v];
  }
  for (int v : c)
    histogram[v]++;
  long check = 0;
  for (const auto &[k, n] : histogram)
    check = check * 31 + k * n;
  for (int v : common)
    check += v;
  std::printf("%d %d %ld %ld\n", conflicts, most, edges, check);
}
