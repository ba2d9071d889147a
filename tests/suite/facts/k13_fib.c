// K13: fib gets a self-parallelism above its total parallelism from Kremlin's implementation. The figures expected here
// follow from the recurrences in tests/facts.rs.
static int fib(int n) {
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}

int main(void) { return fib(6) != 8; }
