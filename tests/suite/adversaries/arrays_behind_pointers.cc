// Histograms through pointers: sizes that no stack holds, lengths that change, memory with other names, exceptions, classes. Threads must not
// have copies of the wrong length, or of something that is reached otherwise.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int N = 30000;
static int key[N];
static int *table[2];

struct Holder {
  int *bins;
  long total = 0;
  explicit Holder(int n) : bins(new int[n]()) {}
  ~Holder() { delete[] bins; }
  void add() {
    for (int i = 0; i < N; i++)
      bins[key[i] % 50]++;
  }
};

template <class T> static T histogram(int n) {
  T *h = new T[n]();
  for (int i = 0; i < N; i++)
    h[key[i] % n] += T(1 + i % 3);
  T sum = 0;
  for (int k = 0; k < n; k++)
    sum = T(sum * 3 % 1000) + h[k];
  delete[] h;
  return sum;
}

// Eight megabytes for every thread.
static long large(int n) {
  long *h = static_cast<long *>(calloc(n, sizeof(long)));
  for (int i = 0; i < N; i++)
    h[key[i] * 29L % n] += i;
  long sum = 0;
  for (int k = 0; k < n; k++)
    sum = (sum * 31 + h[k]) % 1000003;
  free(h);
  return sum;
}

static long by_reference(int &n) {
  int *h = new int[n]();
  n -= 20;
  for (int i = 0; i < N; i++)
    h[key[i] % (n + 20)]++;
  long sum = h[n] + h[0];
  n += 20;
  delete[] h;
  return sum;
}

static long lent(int n) {
  int *h = new int[n](), *m = &n;
  *m = n / 2;
  for (int i = 0; i < N; i++)
    h[key[i] % (2 * n)]++;
  long sum = h[0] + h[2 * n - 1];
  delete[] h;
  return sum;
}

static long in_table(int n) {
  int *h = new int[n]();
  table[0] = h;
  for (int i = 0; i < N; i++) {
    h[key[i] % n]++;
    if (i % 1000 == 999)
      table[0][3] += h[2] > 0;
  }
  long sum = h[3];
  delete[] h;
  return sum;
}

static long read_between(int n) {
  int *h = new int[n]();
  long sum = 0;
  for (int i = 0; i < N; i++) {
    h[key[i] % n]++;
    if (i % 5000 == 0)
      sum += h[7];
  }
  delete[] h;
  return sum;
}

static long chosen(int n, bool twice) {
  int *h = twice ? new int[2 * n]() : new int[n]();
  for (int i = 0; i < N; i++)
    h[key[i] % n]++;
  long sum = h[0] + h[n - 1];
  delete[] h;
  return sum;
}

static long set_twice(int n) {
  long sum = 0;
  int *h = nullptr;
  for (int r = 0; r < 3; r++) {
    if (r == 1)
      n *= 2;
    h = new int[n]();
    if (r == 2)
      n /= 4;
    for (int i = 0; i < N; i++)
      h[key[i] % n]++;
    sum += h[1] + h[n - 1];
    delete[] h;
  }
  return sum;
}

static long captured(int n) {
  int *h = new int[n]();
  auto count = [h](int k) { h[k] += 2; };
  for (int i = 0; i < N; i++) {
    h[key[i] % n]++;
    if (i % 100 == 0)
      count(5);
  }
  long sum = h[5] + h[6];
  delete[] h;
  return sum;
}

static long narrow(unsigned char n) {
  short *h = static_cast<short *>(malloc(n * sizeof(short)));
  for (unsigned char k = 0; k < n; k++)
    h[k] = k;
  for (int i = 0; i < N; i++)
    h[key[i] % n] ^= static_cast<short>(i);
  long sum = 0;
  for (unsigned char k = 0; k < n; k++)
    sum = (sum * 31 + h[k]) % 100003;
  free(h);
  return sum;
}

static long products(const int n) {
  double *h = new double[n];
  for (int k = 0; k < n; k++)
    h[k] = 1;
  for (int i = 0; i < N; i++)
    h[key[i] % n] *= i % 64 == 0 ? 2 : i % 64 == 1 ? 0.5 : 1;
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += h[k] > 1 ? 3 : h[k] == 1;
  delete[] h;
  return static_cast<long>(sum);
}

// Without an iteration nothing is there.
static long nothing(int n, int to) {
  int *h = static_cast<int *>(malloc(n * sizeof(int)));
  for (int i = 0; i < to; i++)
    h[key[i] % n]++;
  long sum = to > 0 ? h[0] : -1;
  free(h);
  return sum;
}

int main() {
  for (int i = 0; i < N; i++)
    key[i] = static_cast<int>(i * 7919L % 10007);
  Holder holder(60);
  holder.add();
  std::printf("%d %d\n", holder.bins[3], histogram<int>(90));
  std::printf("%ld %ld\n", static_cast<long>(histogram<long>(120)), large(2000003));
  int n = 64;
  std::printf("%ld %ld %ld %ld\n", by_reference(n), lent(80), in_table(50), read_between(40));
  std::printf("%ld %ld %ld %ld\n", chosen(30, true), set_twice(40), captured(50), narrow(250));
  std::printf("%ld %ld\n", products(70), nothing(0, 0));
}
