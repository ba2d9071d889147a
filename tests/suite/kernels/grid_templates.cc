// C++ templates, lambdas, std::array, nested vectors, algorithms beside hand-written loops.
#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

template <typename T> class Grid {
  int w_, h_;
  std::vector<std::vector<T>> cells_;

public:
  Grid(int w, int h) : w_(w), h_(h), cells_(h, std::vector<T>(w)) {}
  int width() const { return w_; }
  int height() const { return h_; }
  T &at(int x, int y) { return cells_[y][x]; }
  const T &at(int x, int y) const { return cells_[y][x]; }
};

template <typename T, typename F> void apply(Grid<T> &g, F f) {
  for (int y = 0; y < g.height(); y++)
    for (int x = 0; x < g.width(); x++)
      g.at(x, y) = f(x, y);
}

static void relax(const Grid<float> &from, Grid<float> &to) {
  for (int y = 1; y < from.height() - 1; ++y)
    for (int x = 1; x < from.width() - 1; ++x)
      to.at(x, y) = 0.2f * (from.at(x, y) + from.at(x - 1, y) + from.at(x + 1, y) + from.at(x, y - 1) + from.at(x, y + 1));
}

int main() {
  Grid<float> a(70, 50), b(70, 50);
  apply(a, [](int x, int y) { return static_cast<float>((x * 31 + y * 17) % 23); });
  for (int t = 0; t < 6; ++t) {
    relax(a, b);
    std::swap(a, b);
  }
  std::array<int, 8> bins{};
  float best = -1;
  int bx = 0, by = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      bins[static_cast<int>(a.at(x, y)) & 7]++;
      if (a.at(x, y) > best) {
        best = a.at(x, y);
        bx = x;
        by = y;
      }
    }
  std::vector<long> squares(500);
  std::iota(squares.begin(), squares.end(), 1);
  std::transform(squares.begin(), squares.end(), squares.begin(), [](long v) { return v * v % 1009; });
  std::sort(squares.begin(), squares.end());
  unsigned long check = std::accumulate(squares.begin(), squares.end(), 0UL);
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i)
    names.push_back("n" + std::to_string(i * 7919 % 211));
  size_t letters = 0;
  for (const auto &n : names)
    letters += n.size();
  for (auto it = squares.begin(); it != squares.end(); ++it)
    check = check * 3 + *it;
  std::printf("%d %d %d %d %.5f %lu %zu\n", bins[0], bins[3], bx, by, best, check, letters);
}
