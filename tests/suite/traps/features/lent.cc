// Addresses of loop indexes that are used when the index has changed: by coroutines, through objects of others, and where functions give
// them back by turns or by calling themselves.
#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
    std::suspend_always yield_value(int x) {
      value = x;
      return {};
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static Generator later(const int &k) { co_yield k; }

struct Holder {
  const int *to;
};

static void put(Holder *a, Holder *b, const int &i) {
  std::memcpy(&a, &b, sizeof a);
  a->to = &i;
}

static const int *turns(const int *a, const int *b, int n) {
  const int *x = a, *y = b;
  while (n--) {
    const int *t = x;
    x = y;
    y = t;
  }
  return x;
}

static const int *kept;

static const int *again(const int *a, const int *b, int n) {
  const int *x;
  x = a;
  if (n) {
    kept = again(0, x, 0);
    return a;
  }
  x = b;
  return x;
}

template <class F> static auto hand_on(F f) {
  return [f](int x) { return f(x); };
}

int main() {
  long sum = 0;
  for (int i = 0; i < 200;) {
    Generator g = later(i);
    i++;
    g.handle.resume();
    sum += g.handle.promise().value;
    g.handle.destroy();
  }
  std::printf("%ld\n", sum);
  int z = 7;
  Holder a{&z}, b{&z};
  for (int i = 0; i < 200;) {
    put(&a, &b, i);
    i++;
    sum += *b.to;
  }
  std::printf("%ld\n", sum);
  for (int i = 0; i < 200;) {
    const int *k = &i;
    const int *r = turns(&z, k, 3);
    sum += *turns(k, &z, 3);
    i++;
    sum += *r;
  }
  std::printf("%ld\n", sum);
  for (int i = 0; i < 200;) {
    again(&i, 0, 1);
    i++;
    sum += *kept;
  }
  std::printf("%ld\n", sum);
  for (int i = 0; i < 200;) {
    const int &r = std::max(i, z);
    auto pair = std::minmax(i, z);
    auto f = hand_on([&i, &z](int x) { return x * i + z; });
    std::function<int()> g = [&] { return i; };
    i++;
    sum += r + pair.first + f(2) + g();
  }
  std::printf("%ld\n", sum);
  for (int i = 0; i < 200; i++) {
    auto pair = std::minmax(i, z);
    auto f = hand_on([&i, &z](int x) { return x * i + z; });
    sum += pair.first * 3 + pair.second + f(2);
  }
  std::printf("%ld\n", sum);
}
