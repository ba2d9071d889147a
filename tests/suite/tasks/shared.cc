// Loops of tasks that write what a reference leads to, a local array and one of variable length: tasks must not have
// copies of these.
#include <cstdio>

#define N 6000

struct Table {
  long cells[N];
  long sum = 0;
};

__attribute__((noinline)) static long weight(long i) {
  for (int k = 0; k < 40; k++)
    i = (i * 1103515245 + 12345) & 0x7fffffff;
  return i & 1023;
}

__attribute__((noinline)) static void by_reference(Table &table) {
  for (int i = 0; i < N; i++)
    table.cells[i] = weight(i);
}

__attribute__((noinline)) static long local() {
  long cells[N];
  for (int i = 0; i < N; i++)
    cells[i] = weight(i + 1);
  return cells[17] + cells[N - 1];
}

__attribute__((noinline)) static long variable(int n) {
  long cells[n];
  for (int i = 0; i < n; i++)
    cells[i] = weight(i + 2);
  return cells[17] + cells[n - 1];
}

int main() {
  static Table table;
  by_reference(table);
  long sum = table.cells[1] + table.cells[N - 1];
  printf("%ld %ld %ld\n", sum, local(), variable(N));
}
