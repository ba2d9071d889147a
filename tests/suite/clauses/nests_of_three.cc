// Nests of three loops as C++ writes them, which one directive runs as one, and others that only look alike.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#define HEAVY(x) (std::sqrt((x) + 2) / (1 + (x)) + 1 / (2 + std::sqrt(x)))

constexpr int TWO = 2, FEW = 3, MANY = 300;
static double a[TWO][FEW][MANY], b[TWO][FEW][MANY];

static void constants() {
  // clauses: collapse(3)
  for (int i = 0; i < TWO; ++i)
    for (int j = 0; j < FEW; ++j)
      for (int k = 0; k < MANY; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 1);
}

static void of_other_types(std::size_t rows, std::int64_t columns) {
  // clauses: collapse(3)
  for (auto i = 0; i < TWO; ++i)
    for (std::size_t j = 0; j < rows; ++j)
      for (std::int64_t k = 0; k < columns; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 2);
}

template <typename T> static void once(T n) {
  // clauses: collapse(3)
  for (T i = 0; i < TWO; ++i)
    for (T j = 0; j < FEW; ++j)
      for (T k = 0; k < n; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 3);
}

template <typename T> static void twice(T n) {
  // clauses: none -- two loops stand there
  for (T i = 0; i < TWO; ++i)
    for (T j = 0; j < FEW; ++j)
      for (T k = 0; k < n; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 4);
}

struct Grid {
  int planes = TWO, rows = FEW;
  int columns() const { return MANY; }
  void step() {
    // clauses: collapse(3) -- the object is there, since the outermost loop's test reads another member of it
    for (int i = 0; i < planes; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < MANY; ++k)
          a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 5);
    // clauses: none
    for (int i = 0; i < TWO; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < MANY; ++k)
          a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 5);
  }
};

static void of_an_object(const Grid &grid, const int &columns) {
  Grid own = grid;
  // clauses: collapse(3)
  for (int i = 0; i < own.planes; ++i)
    for (int j = 0; j < own.rows; ++j)
      for (int k = 0; k < MANY; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 6);
  // clauses: none -- it might refer to what is gone
  for (int i = 0; i < TWO; ++i)
    for (int j = 0; j < FEW; ++j)
      for (int k = 0; k < columns; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 7);
  // clauses: collapse(3)
  for (int i = 0; i < grid.planes; ++i)
    for (int j = 0; j < grid.rows; ++j)
      for (int k = 0; k < MANY - grid.planes; ++k)
        a[i][j][k] += HEAVY(b[i][j][k]) + HEAVY(b[i][j][k] + 6);
}

static double summed() {
  double s = 0;
  // clauses: collapse(3) reduction(+:s)
  for (int i = 0; i < TWO; ++i)
    for (int j = 0; j < FEW; ++j)
      for (int k = 0; k < MANY; ++k) {
        const double x = HEAVY(b[i][j][k]);
        s += static_cast<int>(64 * (x + HEAVY(x)));
      }
  return s;
}

int main() {
  for (int i = 0; i < TWO; ++i)
    for (int j = 0; j < FEW; ++j)
      for (int k = 0; k < MANY; ++k)
        b[i][j][k] = i * 0.25 + j + k % 17;
  constants();
  of_other_types(FEW, MANY);
  once(MANY);
  twice(MANY);
  twice(100L);
  Grid grid;
  grid.step();
  of_an_object(grid, MANY);
  double s = summed();
  for (int i = 0; i < TWO; ++i)
    for (int j = 0; j < FEW; ++j)
      for (int k = 0; k < MANY; ++k)
        s += a[i][j][k] * (i + 1);
  std::printf("%.9g\n", s);
}
