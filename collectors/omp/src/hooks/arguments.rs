//! Saves arguments of functions around something that is done before them.

/// The body of a naked function that the program calls in place of the runtime's of that name: calls `$first` with the
/// same arguments and jumps to the function whose address that gives. A jump, since the runtime takes the return
/// address for the construct's place, and since further arguments are behind it on the stack.
///
/// An instruction `before` the call changes what `$first` gets, one `after` it what the runtime's function gets. For
/// both, the first argument lies at `[rsp + 48]` and the return address at `[rsp + 56]`.
macro_rules! call_first {
    ($first:ident $(, before: $before:literal)? $(, after: $after:literal)?) => {
        // `rax` has a part of the arguments where they are variadic; seven words align the stack for the call.
        std::arch::naked_asm!(
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "push rax",
            $($before,)?
            "call {first}",
            "mov r11, rax",
            $($after,)?
            "pop rax",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "jmp r11",
            first = sym $first,
        )
    };
}

pub(super) use call_first;
