// Nests of C++ whose bounds belong to objects, references, lambdas and templates: each prints something else, or crashes, if a directive runs
// too many of their loops as one. All are called again where there is nothing to do.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

constexpr int PLANES = 2, ROWS = 3, COLUMNS = 200;
#define HEAVY(x) (std::sqrt((x) + 2) / (1 + (x)) + 1 / (2 + std::sqrt(x)))
#define WORK(i, j, k) (HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + (i) + 1))

static double a[PLANES][ROWS][COLUMNS], b[PLANES][ROWS][COLUMNS];

struct Sizes {
  int planes, rows, columns;
};

struct Base {
  int planes = PLANES, rows = ROWS;
  virtual ~Base() = default;
  virtual int columns() const { return COLUMNS - planes; }
};

struct Grid : Base {
  int width = COLUMNS, more[2] = {ROWS, COLUMNS};
  Sizes *sizes = nullptr;
  Grid *other = nullptr;
  int narrower() { return width -= 7; }
  int columns() const override { return width; }

  void members() {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < width; ++k)
          a[i][j][k] += WORK(i, j, k);
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < more[0]; ++j)
        for (int k = 0; k < more[1] - planes; ++k)
          a[i][j][k] += WORK(i, j, k);
  }
  void behind_members() {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < sizes->rows; ++j)
        for (int k = 0; k < sizes->columns; ++k)
          a[i][j][k] += WORK(i, j, k);
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < other->rows; ++j)
        for (int k = 0; k < other->width; ++k)
          a[i][j][k] += WORK(i, j, k);
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < width / rows * planes; ++k)
          a[i][j][k] += WORK(i, j, k);
  }
  void calls() {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < columns(); ++k)
          a[i][j][k] += WORK(i, j, k);
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < other->columns(); ++k)
          a[i][j][k] += WORK(i, j, k);
  }
  void changing() {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j) {
        for (int k = 0; k < width; ++k)
          a[i][j][k] += WORK(i, j, k);
        width -= 7;
      }
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < width; ++k) {
          a[i][j][k] += WORK(i, j, k);
          if (k == 20)
            narrower();
        }
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < width; ++k) {
          a[i][j][k] += WORK(i, j, k);
          more[1] = COLUMNS;
        }
    width = COLUMNS;
  }
};

static void references(const Sizes &sizes, const int &columns, const std::vector<int> &rows) {
  for (int i = 0; i < sizes.planes; ++i)
    for (int j = 0; j < sizes.rows; ++j)
      for (int k = 0; k < sizes.columns; ++k)
        a[i][j][k] += WORK(i, j, k);
  for (int i = 0; i < sizes.planes; ++i)
    for (int j = 0; j < sizes.rows; ++j)
      for (int k = 0; k < columns; ++k)
        a[i][j][k] += WORK(i, j, k);
  for (int i = 0; i < sizes.planes; ++i)
    for (int j = 0; j < ROWS; ++j)
      for (int k = 0; k < rows[7]; ++k)
        a[i][j][k] += WORK(i, j, k);
  for (int i = 0; i < sizes.planes; ++i)
    for (int j = 0; j < ROWS; ++j)
      for (std::size_t k = 0; k < rows.size(); ++k)
        a[i][j][k] += WORK(i, j, k);
}

static void downcast(const Base &base) {
  for (int i = 0; i < base.planes; ++i)
    for (int j = 0; j < base.rows; ++j)
      for (int k = 0; k < static_cast<const Grid &>(base).width; ++k)
        a[i][j][k] += WORK(i, j, k);
}

static void captured(int planes, const Sizes *sizes, int parts) {
  auto by_reference = [&](int rows) {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < sizes->columns; ++k)
          a[i][j][k] += WORK(i, j, k);
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < COLUMNS / parts; ++k)
          a[i][j][k] += WORK(i, j, k);
  };
  by_reference(ROWS);
  auto by_value = [=](int rows) {
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < sizes->columns; ++k)
          a[i][j][k] += WORK(i, j, k);
  };
  by_value(ROWS);
}

template <typename T> struct Ranges {
  T planes, rows, columns;
  void all() const {
    for (T i = 0; i < planes; ++i)
      for (T j = 0; j < rows; ++j)
        for (T k = 0; k < columns; ++k)
          a[i][j][k] += WORK(i, j, k);
  }
};

template <int N> static void of_template(int planes) {
  for (int i = 0; i < planes; ++i)
    for (int j = 0; j < ROWS; ++j)
      for (int k = 0; k < COLUMNS / (N + 1) - i * N; ++k)
        a[i][j][k] += WORK(i, j, k);
}

static void others(int planes, const std::unique_ptr<Sizes> &sizes, const std::array<int, 3> &dims) {
  for (int i = 0; i < planes; ++i)
    for (int j = 0; j < sizes->rows; ++j)
      for (int k = 0; k < sizes->columns; ++k)
        a[i][j][k] += WORK(i, j, k);
  for (int i = 0; i < dims[0]; ++i)
    for (int j = 0; j < dims[1]; ++j)
      for (int k = 0; k < dims[2]; ++k)
        a[i][j][k] += WORK(i, j, k);
  const Sizes *at = sizes.get();
  for (int i = 0; i < planes; ++i)
    for (int j = 0; j < at->rows; ++j)
      for (int k = 0; k < at->columns; ++k)
        a[i][j][k] += WORK(i, j, k);
}

static void all(int planes, int parts) {
  Sizes sizes{planes, ROWS, COLUMNS}, *to = planes > 0 ? &sizes : nullptr;
  Grid grid, other;
  grid.planes = planes;
  grid.rows = planes > 0 ? ROWS : 0;
  grid.sizes = to;
  grid.other = planes > 0 ? &other : nullptr;
  grid.members();
  grid.behind_members();
  grid.calls();
  grid.changing();
  std::vector<int> rows(planes > 0 ? 100 : 0, COLUMNS - 3);
  references(sizes, planes > 0 ? sizes.columns : sizes.planes, rows);
  Base base;
  base.planes = planes;
  downcast(planes > 0 ? grid : base);
  captured(planes, to, parts);
  Ranges<int>{planes, ROWS, COLUMNS}.all();
  Ranges<long>{planes, ROWS, COLUMNS - 50}.all();
  of_template<0>(planes);
  of_template<2>(planes);
  others(planes, planes > 0 ? std::make_unique<Sizes>(sizes) : nullptr, {planes, ROWS, COLUMNS});
}

int main(int argc, char **argv) {
  const int one = argc > 0;
  for (int i = 0; i < PLANES; ++i)
    for (int j = 0; j < ROWS; ++j)
      for (int k = 0; k < COLUMNS; ++k)
        b[i][j][k] = i * 0.25 + j + k % 17;
  all(PLANES * one, one);
  all(PLANES - 2 * one, one - 1);
  double s = 0;
  for (int i = 0; i < PLANES; ++i)
    for (int j = 0; j < ROWS; ++j)
      for (int k = 0; k < COLUMNS; ++k)
        s += a[i][j][k] * (i + 1);
  std::printf("%.9g %s\n", s, argv[0] ? "" : "nameless");
}
