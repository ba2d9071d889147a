//! Entries of the runtime that keep all registers, for calls that are rarely made from code with many live vectors:
//! LLVM's calling convention `preserve_all`, as compiled for AVX. Behind the usual convention, whose callees may change
//! every vector register, all live times would be moved to the stack and back around each such call; in zlib's
//! `deflate.c` that was a third of the tracked code (`docs/bench-hcpa.md`).

use core::arch::global_asm;

/// Defines `__ps_NAME_kept`, which calls `__ps_NAME` and keeps all registers but r11 and, where `$rax` does not restore
/// it because the result is there, rax.
macro_rules! kept {
    ($name:literal, $rax:literal) => {
        global_asm!(
            concat!(".section .text.__ps_", $name, "_kept,\"ax\",@progbits"),
            concat!(".globl __ps_", $name, "_kept"),
            concat!(".type __ps_", $name, "_kept,@function"),
            ".p2align 4",
            concat!("__ps_", $name, "_kept:"),
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "sub rsp, 64 + 16 * 32",
            "and rsp, -32",
            "mov [rsp + 512], rax",
            "mov [rsp + 520], rcx",
            "mov [rsp + 528], rdx",
            "mov [rsp + 536], rsi",
            "mov [rsp + 544], rdi",
            "mov [rsp + 552], r8",
            "mov [rsp + 560], r9",
            "mov [rsp + 568], r10",
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "vmovaps [rsp + \\n * 32], ymm\\n",
            ".endr",
            "vzeroupper",
            concat!("call __ps_", $name),
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
            "vmovaps ymm\\n, [rsp + \\n * 32]",
            ".endr",
            $rax,
            "mov rcx, [rsp + 520]",
            "mov rdx, [rsp + 528]",
            "mov rsi, [rsp + 536]",
            "mov rdi, [rsp + 544]",
            "mov r8, [rsp + 552]",
            "mov r9, [rsp + 560]",
            "mov r10, [rsp + 568]",
            "mov rsp, rbp",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            concat!(".size __ps_", $name, "_kept, . - __ps_", $name, "_kept"),
            ".text",
        );
    };
}

kept!("open", "mov rax, [rsp + 512]");
kept!("halve", "mov rax, [rsp + 512]");
kept!("seen", "");
