// Objects: bounds that their functions give, elements that they give references to, instances of templates, functions of the program that
// are called like the library's.
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

class Image {
  int w, h;
  std::vector<double> p;

public:
  Image(int w, int h) : w(w), h(h), p(w * h) {}
  int width() const { return w; }
  int height() const { return h; }
  double &operator()(int x, int y) { return p[y * w + x]; }
  double operator()(int x, int y) const { return p[y * w + x]; }
};

__attribute__((noinline)) static void brighten(Image &image, double by) {
  // clauses: firstprivate(by)
  for (int y = 0; y < image.height(); y++)
    for (int x = 0; x < image.width(); x++)
      image(x, y) += by * x;
}

struct Particle {
  double force[3], x;
};

class Fluid {
  std::vector<Particle> particles;
  double h = 1.5;

public:
  explicit Fluid(int n) : particles(n) {}
  __attribute__((noinline)) void run() {
    // clauses: none -- a reference to the iteration's own element
    for (std::size_t i = 0; i < particles.size(); i++) {
      Particle &p = particles[i];
      p.force[1] = i * h;
    }
  }
  double at(int i) const { return particles[i].force[1]; }
};

static double data[400];
struct Same {
  double operator()(int i) const { return data[i] + 1; }
};
struct Previous {
  double operator()(int i) const { return i ? data[i - 1] : 0; }
};
template <class E> __attribute__((noinline)) void assign(const E &e, int n) {
  // clauses: unchecked -- another instance did not run
  for (int i = 0; i < n; i++)
    data[i] = e(i) + i;
}

// Filled when it is first asked.
struct Points {
  std::vector<double> v;
  int n;
  bool ready = false;
  void fill() {
    for (int i = 0; i < n; i++)
      v.push_back(i * 0.5);
    ready = true;
  }
  int size() {
    if (!ready)
      fill();
    return static_cast<int>(v.size());
  }
};

__attribute__((noinline)) static double pairs(std::vector<std::pair<double, double>> &p) {
  double s = 0;
  for (auto &[a, b] : p)
    s += a * b;
  return s;
}

// Names of structured bindings in another function.
__attribute__((noinline)) static void add(double *a, const double *b, int n) {
  // clauses: none
  for (int i = 0; i < n; i++)
    a[i] += 2 * b[i];
}

static double weights[2000];

// Functions by pointers to members: that none of them is virtual leaves the reading of a table of virtual functions undone.
class Kernel {
  const double *x;

public:
  double (Kernel::*function)(int, int) const;
  double *rows;
  explicit Kernel(const double *x, bool square) : x(x), rows(new double[2000]) {
    function = square ? &Kernel::squared : &Kernel::dot;
  }
  virtual ~Kernel() { delete[] rows; }
  double dot(int i, int j) const { return x[i] * x[j]; }
  double squared(int i, int j) const { return (x[i] - x[j]) * (x[i] - x[j]); }
  virtual void fill(int i, int n) {
    double *row = rows;
    // clauses: none -- each iteration has its own element
    for (int j = 0; j < n; j++)
      row[j] = (this->*function)(i, j);
  }
};

// Made anew where another input says so, and then called as what it is.
struct Step {
  int *at;
  explicit Step(int *at) : at(at) {}
  virtual int next(int i) { return at[i] = at[i > 0 ? i - 1 : 0] + i; }
};

static int last[1000];
alignas(Step) static unsigned char place[sizeof(Step)];

__attribute__((noinline)) static void steps(int n, int rare) {
  // clauses: unchecked firstprivate(rare) -- what did not run writes what it reads
  for (int i = 0; i < n; i++) {
    if (i % rare == rare - 1)
      last[i] = (new (place) Step(last))->next(i);
    else
      last[i] = i;
  }
}

int main(int argc, char **) {
  Image image(40, 300);
  brighten(image, 0.5);
  const int n = 60;
  Image a(n, n), b(n, n), c(n, n);
  // clauses: none
  for (int i = 0; i < a.height(); i++)
    for (int j = 0; j < a.width(); j++)
      a(i, j) = i + j;
  // clauses: none
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b(i, j) = i - j;
  // clauses: none
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c(i, j) += a(i, k) * b(k, j);
  std::vector<Particle> particles(300);
  // clauses: none
  for (int i = 0; i < 300; i++)
    particles[i] = Particle{{1, 2, 3}, i * 0.5};
  Fluid fluid(60);
  fluid.run();
  assign(Same{}, 400);
  if (argc > 1)
    assign(Previous{}, 400);
  Points points{{}, 2000};
  // clauses: words -- every thread would fill it
  for (int i = points.size() - 1; i >= 0; i--)
    weights[i] = i;
  add(weights, weights + 1000, 1000);
  std::vector<std::pair<double, double>> p(400, {1, 2});
  double s = pairs(p);
  for (int i = 0; i < 2000; i++)
    s = s * .99 + weights[i] + data[i % 400];
  Kernel kernel(weights, argc > 5);
  for (int k = 0; k < 20; k++) {
    kernel.fill(k, 2000);
    s += kernel.rows[k * 7];
  }
  steps(1000, argc + 5000);
  s += last[99];
  printf("%.10g %g %g %g %g\n", s, image(3, 4), c(5, 7), particles[9].x, fluid.at(7));
}
