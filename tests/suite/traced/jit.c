// Writes functions one after the other into a page, and executes each before it writes the next: what writes keeps its
// registers, whatever becomes of the code that is executed already.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef struct { unsigned char *at; } Section;
typedef struct { long kind; Section *section; } Assembler;

static __attribute__((noinline)) void load(Assembler *a, int value) {
    *a->section->at++ = 0xb8;
    memcpy(a->section->at, &value, 4);
    a->section->at += 4;
}

static __attribute__((noinline)) void ret(Assembler *a) { *a->section->at++ = 0xc3; }

int main(void) {
    Section section = {mmap(0, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    Assembler assembler = {0, &section};
    long sum = 0, a = 1, b = 2, c = 3, d = 4;
    for (int round = 0; round < 500; round++) {
        int (*function)(void) = (int (*)(void))section.at;
        load(&assembler, round);
        ret(&assembler);
        sum += function();
        a += sum ^ b, b += a ^ c, c += b ^ d, d += c ^ sum;
    }
    printf("%ld %ld %ld %ld %ld\n", sum, a, b, c, d);
    return 0;
}
