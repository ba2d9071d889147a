# The first AVX-512 that the process executes: a register above ymm15 is written in one block, and read in the next, which is
# the first to write a mask. Without the C library, which uses some before `main`. Ends with 7 if the value is still there.
        .globl  _start
        .text
_start: mov     $'A', %esi
        vpbroadcastb %esi, %ymm17
        jmp     read
        .p2align 6
read:   vptestnmb %ymm17, %ymm17, %k0
        vmovdqu64 %ymm17, -64(%rsp)
        xor     %edi, %edi
        mov     $0x4141414141414141, %rax
        cmp     %rax, -64(%rsp)
        jne     end
        mov     $7, %edi
end:    mov     $60, %eax
        syscall
