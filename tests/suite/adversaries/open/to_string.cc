/* Refused: 'names[i] = "n" + std::to_string(i)' is DOACROSS for a temporary's own bytes (the string in _M_replace). (2026-11-25) */
#include <cstdio>
#include <string>
#include <vector>
int main() {
  const int N = 2000;
  std::vector<std::string> names(N);
  for (int i = 0; i < N; i++)
    names[i] = "n" + std::to_string(i);
  unsigned long h = 0;
  for (const auto &n : names)
    for (char c : n)
      h = h * 31 + c;
  printf("%lu\n", h);
}
