// levels: O0 O1 O3
// Lambdas, virtual calls, exceptions, templates, references.
constexpr int n = 64;
static int a[n], b[n];
static double areas[n];

static void capture() {
  int factor = 3;
  auto scale = [&factor](int x) { return x * factor; };
  // expect: DOALL sp=64
  // clauses:
  // proposal: -- its address is given to operator(): whether that writes it has to be looked at
  // a call per iteration; the captured reference is read, not written
  for (int i = 0; i < n; i++)
    b[i] = scale(a[i]);
}

static unsigned captured_state() {
  unsigned count = 0;
  auto next = [&count] { return count = count * 3 + 1; };
  // expect: SERIAL sp<=2
  // carried: count -4->-4 distance 1
  // the captured counter: load 4, multiply 3, add 1, store 1 from call to call
  for (int i = 0; i < n; i++)
    b[i] = static_cast<int>(next());
  return count;
}

template <typename F> static void apply(F f) {
  // expect: DOALL sp=64 fn=apply
  // clauses:
  // proposal: -- its address is given to operator(): whether that writes it has to be looked at
  for (int i = 0; i < n; i++)
    f(i);
}

struct Shape {
  virtual double area() const = 0;
  virtual ~Shape() = default;
};
struct Square final : Shape {
  double side = 2;
  double area() const override { return side * side; }
};
struct Disc final : Shape {
  double radius = 1;
  double area() const override { return radius * radius * 3.0; }
};

static void virtual_calls(const Shape *const *shapes) {
  // expect: DOALL sp=(32*12+32*15)/15 iters=64
  // clauses:
  // object, table, entry: 4 + 4 + 4; beside the last two, in the callee: load 4 and multiply 3 once or twice, then store 1
  for (int i = 0; i < n; i++)
    areas[i] = shapes[i]->area();
}

static int checked(int x) {
  if (x % 8 == 5)
    throw x;
  return x * 2;
}

static void caught() {
  // expect: DOALL iters=64
  // clauses:
  // every eighth call throws and is caught within its iteration, whatever it throws
  for (int i = 0; i < n; i++) {
    try {
      b[i] = checked(a[i]);
    } catch (...) {
      b[i] = -1;
    }
  }
}

static void caught_by_type() {
  // expect: DOALL sp>=32 iters=64
  // clauses:
  // what the handler does not take leaves the function: as with every check, that is taken not to happen
  for (int i = 0; i < n; i++) {
    try {
      b[i] = checked(a[i]);
    } catch (int) {
      b[i] = -1;
    }
  }
}

static int until_thrown() {
  int done = 0;
  try {
    // expect: ANY iters=6
    // the sixth call throws out of the loop: regions end there and nothing is lost
    for (int i = 0; i < n; i++) {
      b[i] = checked(i);
      done++;
    }
  } catch (int) {
  }
  return done;
}

struct Complex {
  double re, im;
  Complex operator*(const Complex &o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};
static Complex p[n], q[n];

static void operators() {
  // expect: DOALL sp=64
  // clauses:
  // results are returned as structs
  for (int i = 0; i < n; i++)
    p[i] = p[i] * q[i];
}

static Complex power(Complex x) {
  Complex r{1, 0};
  // expect: SERIAL sp<=1.5
  // carried: this->re +1->-18 distance 1
  // carried: this->im +1->-18 distance 1
  // every product needs the one before
  for (int i = 0; i < n; i++)
    r = r * x;
  return r;
}

int main() {
  static Square squares[n / 2];
  static Disc discs[n / 2];
  static const Shape *shapes[n];
  for (int i = 0; i < n; i++) {
    a[i] = i;
    if (i % 2)
      shapes[i] = &squares[i / 2];
    else
      shapes[i] = &discs[i / 2];
  }
  capture();
  captured_state();
  apply([](int i) { b[i] = a[i] + 1; });
  virtual_calls(shapes);
  caught();
  caught_by_type();
  operators();
  return until_thrown() == 5 && power({0.5, 0.5}).re < 1 ? 0 : 1;
}
