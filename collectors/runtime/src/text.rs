//! How much of a text a function of the C library looked at: never more than the function itself.

/// A base that stands for numbers with a fraction.
const REAL: u32 = 1;

/// Bytes of a string with its NUL, at most `most`; of no string none.
///
/// # Safety
/// They must be readable.
pub(crate) unsafe fn string(address: *const u8, most: u64) -> u64 {
    if address.is_null() {
        return 0;
    }
    let mut n = 0;
    while n < most {
        let at = address.wrapping_add(n as usize);
        if (at as usize).is_multiple_of(8) && most - n >= 8 {
            // SAFETY: an aligned word lies in one page, and its first byte is part of the string or its NUL.
            let word = unsafe { at.cast::<u64>().read_volatile() };
            let zeros = word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080;
            if zeros == 0 {
                n += 8;
                continue;
            }
            return n + u64::from(zeros.trailing_zeros() / 8) + 1;
        }
        n += 1;
        // SAFETY: the string has not ended before this byte.
        if unsafe { at.read_volatile() } == 0 {
            break;
        }
    }
    n
}

/// Bytes of a string with its NUL as it was before `other`, or the first `most` bytes of that, was appended.
///
/// # Safety
/// They must be readable, and so must be `other`'s.
pub(crate) unsafe fn joined(address: *const u8, other: *const u8, most: u64) -> u64 {
    // SAFETY: the caller vouches.
    let (all, looked) = unsafe { (string(address, u64::MAX), string(other, most)) };
    let Some(last) = looked.checked_sub(1) else {
        return all;
    };
    // SAFETY: this was looked at.
    let ended = unsafe { other.wrapping_add(last as usize).read_volatile() } == 0;
    all.saturating_sub(if ended { last } else { looked })
}

/// Bytes that a function looked at which made a number of a text, with the one that ended it. The function left the
/// address of that one in `end`, unless that is null; then `base` says what figures there are: 2 to 36, 0 if the number
/// says it itself, 1 for numbers with a fraction.
///
/// # Safety
/// They must be readable, and so must `end` if it is not null.
pub(crate) unsafe fn number(address: *const u8, end: *const *const u8, base: u32) -> u64 {
    let mut rest = address;
    if end.is_null() {
        // SAFETY: what was looked at is a part of the number, and so readable.
        let mut skip =
            |wanted: &dyn Fn(u8) -> bool, most: usize| unsafe { skip(&mut rest, wanted, most) };
        skip(&|c| c == b' ' || (b'\t'..=b'\r').contains(&c), usize::MAX);
        skip(&|c| c == b'+' || c == b'-', 1);
        let zero = skip(&|c| c == b'0', 1) == 1;
        let hexadecimal = zero && matches!(base, 0 | 1 | 16) && skip(&|c| c | 32 == b'x', 1) == 1;
        let figures = match base {
            _ if hexadecimal => 16,
            0 if zero => 8,
            0 | REAL => 10,
            base => base,
        };
        let figure = |c: u8| char::from(c).is_digit(figures.clamp(2, 36));
        let found = skip(&figure, usize::MAX);
        let named =
            base == REAL && found == 0 && !zero && skip(&|c| matches!(c | 32, b'i' | b'n'), 1) == 1;
        if named {
            skip(&|c| c.is_ascii_alphabetic(), b"nfinity".len());
        } else if base == REAL {
            skip(&|c| c == b'.', 1);
            skip(&figure, usize::MAX);
            if skip(&|c| c | 32 == if hexadecimal { b'p' } else { b'e' }, 1) == 1 {
                skip(&|c| c == b'+' || c == b'-', 1);
                skip(&|c| c.is_ascii_digit(), usize::MAX);
            }
        }
    } else {
        // SAFETY: the caller vouches.
        rest = unsafe { *end };
    }
    let all = (rest as u64).saturating_sub(address as u64) + 1;
    // SAFETY: the number ends before a NUL.
    unsafe { string(address, all) }
}

/// Goes on behind at most so many wanted bytes; returns how many there were.
///
/// # Safety
/// They and the next one must be readable.
unsafe fn skip(rest: &mut *const u8, wanted: &dyn Fn(u8) -> bool, most: usize) -> usize {
    let mut n = 0;
    // SAFETY: the caller vouches.
    while n < most && wanted(unsafe { **rest }) {
        *rest = rest.wrapping_add(1);
        n += 1;
    }
    n
}

/// Bytes of each of two strings that their comparison looked at, at most `most`: to the first difference (`fold`: that
/// is not one of capital and small letters), or to the end.
///
/// # Safety
/// They must be readable.
pub(crate) unsafe fn compared(a: *const u8, b: *const u8, most: u64, fold: bool) -> u64 {
    if a.is_null() || b.is_null() {
        return 0;
    }
    let letter = |s: *const u8, n: u64| {
        // SAFETY: the strings have not ended before this byte.
        let c = unsafe { s.wrapping_add(n as usize).read() };
        if fold { c.to_ascii_lowercase() } else { c }
    };
    let mut n = 0;
    while n < most {
        let c = letter(a, n);
        n += 1;
        if c == 0 || c != letter(b, n - 1) {
            break;
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use core::ptr::null;

    use super::*;

    fn string_of(text: &[u8], most: u64) -> u64 {
        // SAFETY: the tests' texts end with a NUL or have `most` bytes.
        unsafe { string(text.as_ptr(), most) }
    }

    #[test]
    fn strings_end_with_a_nul_or_at_the_limit() {
        let text = b"some words\0and more of them";
        for start in 0..11 {
            for most in 0..20 {
                let whole = 11 - start as u64;
                assert_eq!(string_of(&text[start..], most), whole.min(most));
            }
        }
        // SAFETY: nothing is read.
        assert_eq!(unsafe { string(null(), u64::MAX) }, 0);
    }

    #[test]
    fn a_string_was_shorter_before_another_was_appended() {
        for (all, other, most, before) in [
            (b"words and\0".as_slice(), b" and\0".as_slice(), u64::MAX, 6),
            (b"words and\0", b" andmore", 4, 6),
            (b"words and\0", b" and\0", 5, 6),
            (b"words\0", b" and\0", 0, 6),
            (b"words\0", b"\0", u64::MAX, 6),
            (b"and\0", b"and\0", u64::MAX, 1),
        ] {
            // SAFETY: both end with a NUL or have `most` bytes.
            let found = unsafe { joined(all.as_ptr(), other.as_ptr(), most) };
            assert_eq!(found, before, "{other:?} {most}");
        }
    }

    #[test]
    fn numbers_end_with_what_is_no_part_of_them() {
        let cases: [(&[u8], u32, u64); 16] = [
            (b"12,45\0", 10, 3),
            (b" \t-7x\0", 10, 5),
            (b"x\0", 10, 1),
            (b"\0", 10, 1),
            (b"7\0", 10, 2),
            (b"0x1fg\0", 0, 5),
            (b"0x1fg\0", 10, 2),
            (b"0179\0", 0, 4),
            (b"zz!\0", 36, 3),
            (b"101012\0", 2, 6),
            (b"1.5e-3,\0", REAL, 7),
            (b"1.5abc\0", REAL, 4),
            (b"0x1.8p+2 \0", REAL, 9),
            (b"-infinity5\0", REAL, 10),
            (b"0.25.5\0", REAL, 5),
            (b"..\0", REAL, 2),
        ];
        for (text, base, looked_at) in cases {
            // SAFETY: the texts end with a NUL.
            let found = unsafe { number(text.as_ptr(), null(), base) };
            assert_eq!(found, looked_at, "{}", text.escape_ascii());
        }
        let text = b"  42 43\0";
        let end = text[4..].as_ptr();
        // SAFETY: as above.
        assert_eq!(unsafe { number(text.as_ptr(), &raw const end, 10) }, 5);
    }

    #[test]
    fn comparisons_end_with_the_first_difference() {
        let looked_at = |a: &[u8], b: &[u8], most, fold| {
            // SAFETY: the texts differ, end with a NUL or have `most` bytes.
            unsafe { compared(a.as_ptr(), b.as_ptr(), most, fold) }
        };
        assert_eq!(looked_at(b"abc", b"abx", u64::MAX, false), 3);
        assert_eq!(looked_at(b"abc\0", b"abc\0", u64::MAX, false), 4);
        assert_eq!(looked_at(b"ab", b"ab", 2, false), 2);
        assert_eq!(looked_at(b"a\0", b"abc", 9, false), 2);
        assert_eq!(looked_at(b"Ab", b"aX", 9, false), 1);
        assert_eq!(looked_at(b"Ab", b"aX", 9, true), 2);
    }
}
