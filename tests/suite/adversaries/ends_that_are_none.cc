// Functions that never return, and yet do not end the program: exceptions of the library's checks, of functions of the program, of a cast, and a
// jump. Each is caught in this run, which no parallel loop could.
#include <array>
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>
std::array<double, 1000> price;
std::vector<int> amounts(1000, 3);
int where[1000], in[1000], out[1000];
jmp_buf failed;
struct Base {
  virtual ~Base() {}
};
struct Derived : Base {
  int x = 2;
};
Base *objects[1000];

[[noreturn]] __attribute__((noinline)) void fail(const char *what) { throw std::runtime_error(what); }
[[noreturn]] __attribute__((noinline)) void jump() { longjmp(failed, 1); }
#define CHECK(c) do { if (!(c)) fail(#c); } while (0)

__attribute__((noinline)) double total(int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += price.at(where[i]);
  return sum;
}
__attribute__((noinline)) void spread(int n) {
  for (int i = 0; i < n; i++)
    out[i] = amounts.at(where[i]) * 2;
}
__attribute__((noinline)) void scale(int n) {
  for (int i = 0; i < n; i++) {
    if (in[i] < 0) fail("negative");
    out[i] = in[i] * 3;
  }
}
__attribute__((noinline)) void checked(int n) {
  for (int i = 0; i < n; i++) {
    CHECK(in[i] >= 0);
    out[i] = in[i] * 5;
  }
}
__attribute__((noinline)) void jumping(int n) {
  for (int i = 0; i < n; i++) {
    if (in[i] < 0) jump();
    out[i] = in[i] * 7;
  }
}
__attribute__((noinline)) void casting(int n) {
  for (int i = 0; i < n; i++)
    out[i] = dynamic_cast<Derived &>(*objects[i]).x;
}
template <class F> void caught(F f) {
  try {
    f(1000);
  } catch (const std::exception &e) {
    puts("caught");
  }
}
int main() {
  Base plain;
  for (int i = 0; i < 1000; i++) {
    price[i] = i % 7;
    where[i] = i * 13 % 1000;
    in[i] = i * 7 % 113;
    objects[i] = new Derived;
  }
  where[900] = 5000;
  in[900] = -1;
  objects[900] = &plain;
  caught(total);
  caught(spread);
  caught(scale);
  caught(checked);
  caught(casting);
  if (!setjmp(failed)) jumping(1000);
  long sum = 0;
  for (int i = 0; i < 900; i++)
    sum = sum * 31 + out[i];
  printf("%ld\n", sum);
}
