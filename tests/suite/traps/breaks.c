// levels: O0 O1 O3
// Reductions that are hard to see: as in NAS EP and IS, on globals, through pointers, minima as branches.
enum { N = 64 };
static double x[N], q[10], sums[2];
static int key[N], count[16], best, a[N];
static struct total { double sum; int n; } total;

static void ep(void) {
  double sx = 0;
  // expect: DOALL_REDUCTION iters=64
  // bins and a sum, both under a condition (accepted pairs only)
  for (int i = 0; i < N; i++) {
    double t = x[i] * x[i];
    if (t <= 0.81) {
      q[(int)(t * 10)] += 1.0;
      sx += t;
    }
  }
  sums[0] = sx;
}

static void is_(void) {
  // expect: DOALL_REDUCTION sp=64
  for (int i = 0; i < N; i++)
    count[key[i]]++;
}

static void pointer_field(struct total *t) {
  // expect: DOALL_REDUCTION sp=64
  for (int i = 0; i < N; i++) {
    t->sum += x[i];
    t->n++;
  }
}

static int minimum_branch(void) {
  int lo = 1 << 30;
  // expect: DOALL_REDUCTION(min:lo)
  // the element is loaded a second time inside the branch
  for (int i = 0; i < N; i++)
    if (a[i] < lo)
      lo = a[i];
  return lo;
}

static int maximum_conditional(void) {
  int hi = -1;
  // expect: DOALL_REDUCTION(max:hi)
  for (int i = 0; i < N; i++)
    hi = a[i] > hi ? a[i] : hi;
  return hi;
}

static void global_maximum(void) {
  // expect: DOALL_REDUCTION(max:best)
  for (int i = 0; i < N; i++)
    if (a[i] > best)
      best = a[i];
}

static double two_steps(void) {
  double s = 0;
  // expect: DOALL_REDUCTION(+:s) sp=64
  // s + a + b: two links of the same kind per iteration
  for (int i = 0; i < N; i++)
    s = s + x[i] + x[N - 1 - i];
  return s;
}

static int not_associative(void) {
  int s = 0;
  // expect: DOACROSS sp=64*5/(64+4)
  // a[i] - s is no sum: subtract 1 per iteration, load 4 once; iterations of 5 overlap in a chain of 1
  for (int i = 0; i < N; i++)
    s = a[i] - s;
  return s;
}

static int used_inside(int *out) {
  int s = 0;
  // expect: DOACROSS sp=64*6/(4+64+1)
  // a prefix sum: every partial sum is used. add 1 per iteration after the first load 4; store 1 at the end
  for (int i = 0; i < N; i++) {
    s += a[i];
    out[i] = s;
  }
  return s;
}

int main(void) {
  static int out[N];
  for (int i = 0; i < N; i++) {
    x[i] = i / 64.0;
    key[i] = i % 16;
    a[i] = (i * 29) % 64;
  }
  ep();
  is_();
  pointer_field(&total);
  global_maximum();
  return minimum_branch() + maximum_conditional() + not_associative() + used_inside(out) + (int)two_steps() < 0;
}
