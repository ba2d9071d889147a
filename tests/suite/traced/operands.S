// Memory operands of many kinds, at addresses that are the same in every run: no libc, a stack and a thread block of its own.
// Compared with single-stepping by tests/tracer.rs.
    .intel_syntax noprefix
    .globl _start
    .bss
    .balign 4096
stack:  .skip 65536
stack_end:
block:  .skip 4096
data:   .skip 65536
    .data
    .balign 64
table:  .quad 1, 2, 3, 4, 5, 6, 7, 8
mask:   .long -1, 0, -1, -1, 0, 0, -1, 0
index:  .long 0, 5, 9, 2, 31, 7, 1, 3
bytes:  .byte 0x80, 0, 0xff, 1, 0x90, 0, 0, 0xa0, 0, 0x80, 0, 0, 1, 0, 0, 0xff
    .text
_start:
    lea rsp, [rip + stack_end]
    mov eax, 158                    // arch_prctl(ARCH_SET_FS, block)
    mov edi, 0x1002
    lea rsi, [rip + block]
    syscall
    mov ebp, 300
again:
    // plain forms
    lea rbx, [rip + data]
    mov ecx, 17
    mov rax, [rbx]
    mov [rbx + 8], rax
    mov eax, [rbx + rcx * 4 + 16]
    add [rbx + rcx * 8], rax
    inc word ptr [rbx + 40]
    mov al, [rbx + rcx]
    movzx edx, byte ptr [rip + bytes]
    mov rax, [rip + table + 8]
    cmp byte ptr [data + 100], 3
    mov rdx, [rcx * 8 + data]
    // address registers that change on the way
    add rbx, 64
    mov [rbx], eax
    sub rbx, 8
    mov [rbx], eax
    lea rsi, [rbx + 24]
    mov rdi, rsi
    mov [rdi + 8], rdi
    inc rdi
    mov [rdi], al
    mov rbx, [rbx - 56]
    lea rbx, [rip + data + 256]
    mov [rbx], rbx
    mov rbx, [rbx]
    mov [rbx + 8], rbx
    add bl, 16
    mov [rbx + 8], ecx
    // the stack
    push rbx
    push qword ptr [rsp]
    push qword ptr [rbx + 8]
    pop qword ptr [rbx + 16]
    pop qword ptr [rsp + 8]
    pop rax
    push 5
    push rsp
    pop rsp
    pushfq
    popfq
    pop rdx
    push ax
    pop ax
    call leaf
    lea rax, [rip + leaf]
    mov [rbx + 32], rax
    call [rbx + 32]
    call rax
    enter 32, 0
    mov [rbp - 8], rcx
    leave
    // segment bases
    mov fs:[8], rcx
    mov rax, fs:[8]
    mov edx, 16
    mov rax, fs:[rdx]
    mov fs:[rdx + rdx * 2 + 4], eax
    // 32-bit addresses
    lea rbx, [rip + data]
    mov eax, [ebx + 4]
    mov [ebx + edx * 2 + 4], eax
    // exchanges and locked instructions
    xchg [rbx], rax
    xchg rax, rdx
    lock xadd [rbx + 8], rax
    lock inc dword ptr [rbx + 16]
    lock cmpxchg [rbx + 24], rcx
    xor edx, edx
    xor eax, eax
    lock cmpxchg16b [rbx + 32]
    // all registers in use, in one block
    push rbp
    lea rax, [rbx + 0x100]
    lea rcx, [rbx + 0x200]
    lea rdx, [rbx + 0x300]
    lea rsi, [rbx + 0x400]
    lea rdi, [rbx + 0x500]
    lea rbp, [rbx + 0x600]
    lea r8, [rbx + 0x700]
    lea r9, [rbx + 0x800]
    lea r10, [rbx + 0x900]
    lea r11, [rbx + 0xa00]
    lea r12, [rbx + 0xb00]
    lea r13, [rbx + 0xc00]
    lea r14, [rbx + 0xd00]
    lea r15, [rbx + 0xe00]
    mov [rax], rbx
    mov [rcx], rax
    mov [rdx], rcx
    mov [rsi], rdx
    mov [rdi], rsi
    mov [rbp], rdi
    mov [r8], rbp
    mov [r9], r8
    mov [r10], r9
    mov [r11], r10
    mov [r12], r11
    mov [r13], r12
    mov [r14], r13
    mov [r15], r14
    mov [rbx], r15
    mov r15, [r15]
    mov [r15 + 8], r14
    mov r14, [r14]
    mov [r14 + 8], r13
    pop rbp
    // all registers hold addresses that follow from nothing, and all are used as such in one block
    push rbp
    lea rax, [rbx + 0x1000]
    mov [rbx + 0x2000], rax
    mov [rbx + 0x2008], rax
    mov [rbx + 0x2010], rax
    mov [rbx + 0x2018], rax
    mov [rbx + 0x2020], rax
    mov [rbx + 0x2028], rax
    mov [rbx + 0x2030], rax
    mov [rbx + 0x2038], rax
    mov [rbx + 0x2040], rax
    mov [rbx + 0x2048], rax
    mov [rbx + 0x2050], rax
    mov [rbx + 0x2058], rax
    mov [rbx + 0x2060], rax
    mov [rbx + 0x2068], rax
    xor r15d, r15d
    mov rax, [rbx + 0x2000]
    mov rcx, [rbx + 0x2008]
    mov rdx, [rbx + 0x2010]
    mov rsi, [rbx + 0x2018]
    mov rdi, [rbx + 0x2020]
    mov rbp, [rbx + 0x2028]
    mov r8, [rbx + 0x2030]
    mov r9, [rbx + 0x2038]
    mov r10, [rbx + 0x2040]
    mov r11, [rbx + 0x2048]
    mov r12, [rbx + 0x2050]
    mov r13, [rbx + 0x2058]
    mov r14, [rbx + 0x2060]
    mov rbx, [rbx + 0x2068]
    mov [rax + 0], r15
    mov [rcx + 8], r15
    mov [rdx + 16], r15
    mov [rsi + 24], r15
    mov [rdi + 32], r15
    mov [rbp + 40], r15
    mov [r8 + 48], r15
    mov [r9 + 56], r15
    mov [r10 + 64], r15
    mov [r11 + 72], r15
    mov [r12 + 80], r15
    mov [r13 + 88], r15
    mov [r14 + 96], r15
    mov [rbx + 104], r15
    cmp [rax + r15*8 + 0], rbx
    cmp [rcx + r15*8 + 8], rax
    cmp [rdx + r15*8 + 16], rcx
    cmp [rsi + r15*8 + 24], rdx
    cmp [rdi + r15*8 + 32], rsi
    cmp [rbp + r15*8 + 40], rdi
    cmp [r8 + r15*8 + 48], rbp
    cmp [r9 + r15*8 + 56], r8
    cmp [r10 + r15*8 + 64], r9
    cmp [r11 + r15*8 + 72], r10
    cmp [r12 + r15*8 + 80], r11
    cmp [r13 + r15*8 + 88], r12
    cmp [r14 + r15*8 + 96], r13
    cmp [rbx + r15*8 + 104], r14
    add [r15 + rax*1 + 0], rax
    add [r15 + rcx*1 + 8], rcx
    add [r15 + rdx*1 + 16], rdx
    add [r15 + rsi*1 + 24], rsi
    add [r15 + rdi*1 + 32], rdi
    add [r15 + rbp*1 + 40], rbp
    add [r15 + r8*1 + 48], r8
    add [r15 + r9*1 + 56], r9
    add [r15 + r10*1 + 64], r10
    add [r15 + r11*1 + 72], r11
    add [r15 + r12*1 + 80], r12
    add [r15 + r13*1 + 88], r13
    add [r15 + r14*1 + 96], r14
    add [r15 + rbx*1 + 104], rbx
    pop rbp
    lea rbx, [rip + data]
    // flags that live across blocks
    cmp ebp, 100
    jb 1f
    je 1f
    jno 2f
1:  mov [rbx], ebp
2:  mov [rbx + 4], ebp
    // string instructions
    lea rsi, [rip + data]
    lea rdi, [rip + data + 4096]
    mov ecx, 100
    rep movsb
    mov ecx, 33
    rep movsq
    mov ecx, 0
    rep stosd
    mov ecx, 50
    rep stosd
    movsd
    lodsb
    stosw
    std
    mov ecx, 20
    rep movsw
    mov ecx, 5
    rep stosb
    scasb
    cld
    lea rdi, [rip + bytes]
    mov al, 1
    mov ecx, 16
    repne scasb
    lea rdi, [rip + table]
    lea rsi, [rip + table]
    mov ecx, 40
    repe cmpsb
    mov ecx, 3
    rep lodsq
    cmpsd
    // table look-up
    lea rbx, [rip + table]
    mov eax, 9
    xlatb
    // numbers of bits
    mov ecx, 1000
    lea rbx, [rip + data]
    bts [rbx + 16], rcx
    mov rcx, -70
    btr [rbx + 1024], rcx
    bt [rbx + 1024], ecx
    mov cx, -17
    btc [rbx + 1024], cx
    lock bts dword ptr [rbx + 64], ebp
    bt qword ptr [rbx], 63
    // operands that take a call, where other registers are scratch: the next thing that happens to those is that they are written
    lea rbx, [rip + data]
    mov ecx, 77
    jmp 3f
3:  mov r8d, [rbx + rcx * 4]
    bt [rbx + 1024], rcx
    mov r9d, [rbx + rcx * 8 + 4]
    bts [rbx + 1032], ecx
    mov eax, 1
    mov edx, 2
    mov esi, 3
    mov edi, 4
    mov r10d, 5
    // operands that take a call, where these use all registers
    lea rax, [rbx + 2000]
    lea rdx, [rbx + 2100]
    lea rdi, [rbx + 2200]
    lea r9, [rbx + 2300]
    lea r11, [rbx + 2400]
    lea r13, [rbx + 2500]
    lea r15, [rbx + 2600]
    mov esi, 33
    mov r8d, 8
    mov r10d, 99
    mov r12, -9
    mov r14d, 1000
    jmp 4f
4:  bt [rax], rcx
    bts [rdx], rsi
    bt [rdi], r8
    btr [r9], r10
    bt [r11], r12
    btc [r13], r14
    bt [r15], rbp
    bts [rbx], rcx
    // x87 and wide state
    fld qword ptr [rbx]
    fstp tbyte ptr [rip + data + 512]
    fnstcw [rip + data + 540]
    stmxcsr [rip + data + 544]
    fxsave [rip + data + 1024]
    // vectors
    lea rbx, [rip + data]
    movups xmm0, [rbx + 3]
    movaps [rbx + 64], xmm0
    vmovdqu ymm1, [rip + mask]
    vmovdqu ymm2, [rip + index]
    vmovdqa ymm3, ymm1
    vpgatherdd ymm4, [rbx + ymm2 * 4], ymm3
    vmovdqa ymm3, ymm1
    vgatherdpd ymm5, [rbx + xmm2 * 8 + 16], ymm3
    vmovdqa xmm3, xmm1
    vpmovzxdq ymm6, xmm2
    vpgatherqd xmm4, [rbx + ymm6 * 2], xmm3
    vpmaskmovd ymm5, ymm1, [rbx + 32]
    vmaskmovps [rbx + 96], ymm1, ymm5
    vmaskmovpd [rbx + 128], xmm1, xmm5
    movdqu xmm7, [rip + bytes]
    lea rdi, [rbx + 200]
    maskmovdqu xmm0, xmm7
    prefetcht0 [rbx]
    nop dword ptr [rbx + 8]
    vzeroupper
    dec ebp
    jnz again
    mov eax, 231
    mov edi, 23
    syscall
leaf:
    mov [rsp - 16], rcx
    ret
