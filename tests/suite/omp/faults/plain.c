// No OpenMP, no marks: nothing to look at.
#include <stdio.h>
int main(void) { puts("plain"); return 6; }
