// A main function that is not instrumented, calling code that is.
int in_library(int x);
int main(void) { return in_library(4) != 4; }
