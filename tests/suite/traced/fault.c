// A fault in a block that uses all registers: the handler finds their values, and the program goes on with them.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

static char *page;
static long found[23], left[16];
void work(char *page, long *left);

// Every register is read and written three times, r15 read once, before a load faults.
__asm__(".globl work\n"
        "work: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; push %rsi\n"
        "mov %rdi, %rax\n"
        "mov $103, %ebx; mov $104, %ecx; mov $105, %edx; mov $106, %esi; mov $107, %edi; mov $108, %ebp\n"
        "mov $8, %r8d; mov $9, %r9d; mov $10, %r10d; mov $11, %r11d; mov $12, %r12d; mov $13, %r13d\n"
        "mov $14, %r14d; mov $15, %r15d\n"
        "jmp 1f\n"
        ".macro use register\n"
        "lea 1(\\register), \\register; lea 1(\\register), \\register; lea 1(\\register), \\register\n"
        ".endm\n"
        "1: use %rbx; use %rcx; use %rdx; use %rsi; use %rdi; use %rbp; use %r8; use %r9; use %r10; use %r11\n"
        "use %r12; use %r13; use %r14\n"
        "lea (%r14,%r15), %r14\n"
        "mov (%rax), %rcx\n"
        "lea 1(%rcx,%r15), %rcx\n"
        "pop %rax\n"
        "mov %rbx, (%rax); mov %rcx, 8(%rax); mov %rdx, 16(%rax); mov %rsi, 24(%rax); mov %rdi, 32(%rax)\n"
        "mov %rbp, 40(%rax); mov %r8, 48(%rax); mov %r9, 56(%rax); mov %r10, 64(%rax); mov %r11, 72(%rax)\n"
        "mov %r12, 80(%rax); mov %r13, 88(%rax); mov %r14, 96(%rax); mov %r15, 104(%rax)\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n");

static void fault(int signal, siginfo_t *info, void *context) {
    for (int i = 0; i < 23; i++) found[i] = ((ucontext_t *)context)->uc_mcontext.gregs[i];
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void) {
    struct sigaction action = {0};
    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, 0);
    page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int round = 0; round < 3; round++) {
        mprotect(page, 4096, PROT_NONE);
        work(page, left);
        for (int i = REG_R8; i <= REG_RCX; i++)
            if (i != REG_RAX) printf("%ld ", found[i]);
        for (int i = 0; i < 14; i++) printf("%ld ", left[i]);
        puts("");
    }
    return 0;
}
