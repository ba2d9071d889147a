//! Where `main` is in a program without symbols: its first instructions hand it to the C library.

/// Instructions looked at; the C libraries' have about a dozen.
const MOST: usize = 32;

/// The address that the first instructions of a program, at `address`, put into the first argument of the call that is
/// followed by `hlt`: of `__libc_start_main`, which never returns.
pub fn main_of(code: &[u8], address: u64) -> Option<u64> {
    let mut at = 0;
    let mut argument = None;
    for _ in 0..MOST {
        let rest = code.get(at..)?;
        let here = address.wrapping_add(at as u64);
        let (_, length) = parascan_isa::decode(rest, here).ok()?;
        let next = here.wrapping_add(length as u64);
        match rest.get(..length)? {
            // lea rdi, [rip + distance]
            [0x48, 0x8d, 0x3d, distance @ ..] => {
                argument = Some(next.wrapping_add_signed(number(distance)?));
            }
            // mov rdi, constant
            [0x48, 0xc7, 0xc7, constant @ ..] => argument = number(constant)?.try_into().ok(),
            // mov edi, constant
            [0xbf, constant @ ..] => argument = number(constant)?.try_into().ok(),
            // call, directly or through a word in memory
            [0xe8, ..] | [0x67, 0xe8, ..] | [0xff, 0x15, ..] => {
                let last = code.get(at + length) == Some(&0xf4);
                return argument.filter(|_| last);
            }
            _ => {}
        }
        at += length;
    }
    None
}

/// Four bytes as a number.
fn number(bytes: &[u8]) -> Option<i64> {
    Some(i32::from_le_bytes(bytes.try_into().ok()?).into())
}

#[cfg(test)]
mod tests {
    use super::main_of;

    /// What glibc's `_start` is.
    const START: [u8; 38] = [
        0x31, 0xed, // xor ebp, ebp
        0x49, 0x89, 0xd1, // mov r9, rdx
        0x5e, // pop rsi
        0x48, 0x89, 0xe2, // mov rdx, rsp
        0x48, 0x83, 0xe4, 0xf0, // and rsp, -16
        0x50, 0x54, // push rax; push rsp
        0x45, 0x31, 0xc0, // xor r8d, r8d
        0x31, 0xc9, // xor ecx, ecx
        0x48, 0x8d, 0x3d, 0xe5, 0x00, 0x00, 0x00, // lea rdi, [rip + 0xe5]
        0xff, 0x15, 0x6b, 0x2f, 0x00, 0x00, // call [rip + 0x2f6b]
        0xf4, 0x00, 0x00, 0x00, 0x00, // hlt
    ];

    #[test]
    fn main_is_the_first_argument() {
        assert_eq!(main_of(&START, 0x1060), Some(0x1060 + 27 + 0xe5));
        let mut fixed = START;
        fixed[20..27].copy_from_slice(&[0x48, 0xc7, 0xc7, 0x30, 0x11, 0x40, 0x00]);
        assert_eq!(main_of(&fixed, 0x40_1060), Some(0x40_1130));
    }

    #[test]
    fn other_beginnings_have_none() {
        let mut returns = START;
        returns[33] = 0x90;
        assert_eq!(main_of(&returns, 0x1060), None);
        for length in 0..33 {
            assert_eq!(main_of(&START[..length], 0x1060), None, "{length}");
        }
        assert_eq!(main_of(&[0x90; 100], u64::MAX), None);
    }
}
