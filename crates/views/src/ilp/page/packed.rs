//! Many small numbers in few letters.

use std::iter::repeat_n;

/// Digits to the base 32, each with and without one that follows.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The numbers as text, which `profile.js` unpacks. Each is written doubled, lowest digit first; those that are there
/// several times in a row once, plus one for that, and then how often. A digit stands as it is if it is a number's
/// last, and 32 places further on if not. So a number below 16 is a letter.
pub(super) fn packed(numbers: impl Iterator<Item = u64>) -> String {
    let mut out = String::new();
    let mut numbers = numbers.peekable();
    while let Some(number) = numbers.next() {
        let mut times: u128 = 1;
        while numbers.next_if_eq(&number).is_some() {
            times += 1;
        }
        let once = u128::from(number) << 1;
        let (mut alone, mut repeated) = (String::new(), String::new());
        write(once, &mut alone);
        write(once | 1, &mut repeated);
        write(times, &mut repeated);
        // Two or three in a row may be shorter one by one.
        if alone.len() as u128 * times <= repeated.len() as u128 {
            out.extend(repeat_n(alone, times as usize));
        } else {
            out += &repeated;
        }
    }
    out
}

fn write(mut number: u128, out: &mut String) {
    loop {
        let digit = (number % 32) as usize;
        number /= 32;
        let follows = if number > 0 { 32 } else { 0 };
        out.push(DIGITS[digit + follows].into());
        if number == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_a_letter_each() {
        assert_eq!(packed([0, 1, 2, 15].into_iter()), "ACEe");
        // 16 doubled is 0 + 1 * 32.
        assert_eq!(packed([16].into_iter()), "gB");
    }

    #[test]
    fn rows_of_equal_numbers_are_written_once() {
        assert_eq!(packed([3, 3].into_iter()), "GG");
        assert_eq!(packed([3; 4].into_iter()), "HE");
        // 1000 is 8 + 31 * 32.
        assert_eq!(packed([0; 1000].into_iter()), "Bof");
        assert_eq!(packed(std::iter::empty()), "");
    }
}
