// Is linked with the library.
int in_library(int x);
int main(void) { return in_library(4) != 4; }
