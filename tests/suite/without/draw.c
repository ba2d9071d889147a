// A chain behind a pointer, in another file.
unsigned draw(unsigned *r) {
  *r = *r * 5 + 7;
  return *r;
}
