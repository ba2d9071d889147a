//! What two runs printed or wrote, compared.

/// Larger than this, what differs is not shown.
const SHOWN: usize = 40;

/// How what was found differs from what is expected, in words; none if it does not. With a tolerance, numbers may
/// differ by so much of the larger one; everything else has to be the same, and without one, every byte.
#[must_use]
pub fn difference(found: &[u8], expected: &[u8], tolerance: Option<f64>) -> Option<String> {
    if found == expected {
        return None;
    }
    let (Ok(found), Ok(expected)) = (str::from_utf8(found), str::from_utf8(expected)) else {
        let at = found.iter().zip(expected).take_while(|(f, e)| f == e);
        return Some(format!("it differs from byte {} on", at.count() + 1));
    };
    let (mut left, mut right) = (found.split_inclusive('\n'), expected.split_inclusive('\n'));
    for line in 1.. {
        let (found, expected) = (left.next(), right.next());
        match (found, expected) {
            (None, None) => break,
            (Some(found), Some(expected)) if found == expected => {}
            (Some(found), Some(expected)) => {
                if let Some(what) = in_line(found, expected, tolerance) {
                    return Some(format!("line {line} differs: {what}"));
                }
            }
            (None, Some(_)) => return Some(format!("it ends before line {line}")),
            (Some(_), None) => return Some(format!("it goes on after line {}", line - 1)),
        }
    }
    None
}

fn in_line(found: &str, expected: &str, tolerance: Option<f64>) -> Option<String> {
    let other = || {
        Some(format!(
            "`{}` instead of `{}`",
            short(found),
            short(expected)
        ))
    };
    let Some(tolerance) = tolerance else {
        return other();
    };
    let (mut left, mut right) = (found, expected);
    loop {
        match (take(&mut left), take(&mut right)) {
            (None, None) => return None,
            (Some((f, Some(a))), Some((e, Some(b)))) if f != e => {
                let apart = if a == b {
                    0.0
                } else {
                    (a - b).abs() / a.abs().max(b.abs())
                };
                if apart.is_nan() || apart > tolerance {
                    let by = if apart.is_finite() {
                        format!(", a difference of {apart:.1e}")
                    } else {
                        String::new()
                    };
                    return Some(format!("`{f}` instead of `{e}`{by}"));
                }
            }
            (Some((f, _)), Some((e, _))) if f == e => {}
            _ => return other(),
        }
    }
}

/// The next word of a text: a number, with its value, or one character.
fn take<'a>(text: &mut &'a str) -> Option<(&'a str, Option<f64>)> {
    let first = text.chars().next()?;
    let word = number(text);
    let length = word.unwrap_or(first.len_utf8());
    let (taken, rest) = text.split_at(length);
    *text = rest;
    let value = word.and_then(|_| taken.parse().ok());
    Some((taken, value))
}

/// The length of the number at the beginning of a text: digits with a sign, a point and an exponent.
fn number(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Some(end)
}

/// As much of a line as is shown.
fn short(line: &str) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(found: &str, expected: &str, tolerance: Option<f64>) -> Option<String> {
        difference(found.as_bytes(), expected.as_bytes(), tolerance)
    }

    #[test]
    fn without_a_tolerance_every_byte_counts() {
        assert_eq!(text("a 1.0\n", "a 1.0\n", None), None);
        assert_eq!(
            text("a\n1.0\n", "a\n1.00\n", None).unwrap(),
            "line 2 differs: `1.0` instead of `1.00`"
        );
        assert_eq!(
            text("a\n", "a\nb\n", None).unwrap(),
            "it ends before line 2"
        );
        assert_eq!(
            text("a\nb", "a\n", None).unwrap(),
            "it goes on after line 1"
        );
        let bytes = difference(b"\xff\x00", b"\xff\x01", Some(1.0));
        assert_eq!(bytes.unwrap(), "it differs from byte 2 on");
    }

    #[test]
    fn with_one_numbers_may_differ_by_it_and_nothing_else() {
        let near = Some(1e-6);
        for (found, expected) in [
            ("s=1.0000001\n", "s=1.0\n"),
            ("-2.5e-3 x", "-2.50000001E-03 x"),
            ("a 1,2 .5", "a 1,2 0.5"),
            ("0 0.0", "0 0"),
        ] {
            assert_eq!(text(found, expected, near), None, "{found}");
        }
        for (found, expected) in [
            ("s=1.00001\n", "s=1.0\n"),
            ("t=1.0\n", "s=1.0\n"),
            ("nan", "1.0"),
            ("1.0", "-1.0"),
            ("1 2", "1"),
            ("1", "1 "),
            ("1e-300", "0"),
        ] {
            assert!(text(found, expected, near).is_some(), "{found}");
        }
        assert_eq!(
            text("s=1.5\n", "s=1.0\n", near).unwrap(),
            "line 1 differs: `1.5` instead of `1.0`, a difference of 3.3e-1"
        );
    }
}
