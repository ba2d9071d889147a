// What `std::function` calls is called through a pointer alone, and is the library's.
#include <cstdio>
#include <functional>

__attribute__((noinline)) long repeated(const std::function<long(long)> &next, int times) {
    long x = 1;
    for (int i = 0; i < times; i++)
        x = next(x);
    return x;
}

int main(int count, char **) {
    long factor = count + 2, shift = count * 5;
    std::printf("%ld\n", repeated([=](long x) { return x * factor % 1009 + shift; }, 1000));
    return 0;
}
