// The other translation unit of units.c.
int helper(int x) { return x * 3; }
int apply(int (*f)(int), int x) { return f(x); }
