// Unusual features of C++: whatever the figures, the program's behaviour must stay its own.
#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) { value = v; return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { if (handle) handle.destroy(); }
  bool next() { handle.resume(); return !handle.done(); }
};

static Generator squares(int n) {
  for (int i = 0; i < n; i++)
    co_yield i * i;
}

struct Static {
  std::vector<int> values;
  Static() { for (int i = 0; i < 50; i++) values.push_back(i * i); }
  ~Static() { std::printf("destroyed %zu\n", values.size()); }
};
static Static global;
static thread_local std::string per_thread = "thread-local";

struct Base { virtual ~Base() = default; virtual int f(int x) { return x; } };
struct Left : virtual Base { int f(int x) override { return x + 1; } };
struct Right : virtual Base { int g = 7; };
struct Both : Left, Right { int f(int x) override { return Left::f(x) * g; } };

static int rethrow(int depth) {
  try {
    if (depth == 0)
      throw std::runtime_error("deep");
    return rethrow(depth - 1);
  } catch (const std::exception &e) {
    if (depth < 3)
      throw;
    return depth;
  }
}

static int nested_exceptions() {
  int n = 0;
  for (int i = 0; i < 5; i++) {
    try {
      try {
        throw i;
      } catch (int x) {
        if (x % 2)
          throw std::string(static_cast<std::size_t>(x), 'x');
        n += x;
      }
    } catch (const std::string &s) {
      n += 100 * static_cast<int>(s.size());
    }
  }
  return n;
}

template <int N> struct Fibonacci { static constexpr int value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value; };
template <> struct Fibonacci<0> { static constexpr int value = 0; };
template <> struct Fibonacci<1> { static constexpr int value = 1; };

int main() {
  int sum = 0;
  for (auto g = squares(10); g.next();)
    sum += g.handle.promise().value;
  std::unordered_map<std::string, int> words;
  std::istringstream in("the cat and the dog and the bird");
  for (std::string w; in >> w;)
    words[w]++;
  std::vector<std::pair<std::string, int>> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  std::variant<int, std::string> v = std::string("variant");
  std::function<int(int)> recursive = [&](int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); };
  std::unique_ptr<Base> both = std::make_unique<Both>();
  std::exception_ptr kept;
  try {
    global.values.at(1000);
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (const std::out_of_range &) {
    sum += 1000;
  }
  std::printf("%d %s %d %s %d %d\n", sum, sorted[0].first.c_str(), sorted[0].second, std::get<1>(v).c_str(), recursive(12), both->f(5));
  std::printf("%d %d %s %d\n", rethrow(6), nested_exceptions(), per_thread.c_str(), Fibonacci<10>::value);
  std::stringstream out;
  out << 1.5 << ' ' << std::hex << 255;
  std::puts(out.str().c_str());
  return 9;
}
