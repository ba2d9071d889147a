//! What a format of the `printf` family makes the function do to memory: the strings of its `%s`, the counts of its
//! `%n`.

use super::effects::Effect;
use super::lengths::Len;
use crate::ir::{TypeKind, Value};

/// Effects of a call whose format is argument `format` and whose values follow it.
pub(super) fn effects(call: Value, format: u32) -> Vec<Effect> {
    let values = format + 1;
    let args = call.args();
    let pointer = |v: &Value| v.ty().kind() == TypeKind::LLVMPointerTypeKind;
    let text = call.operand(format).constant_string();
    match text.and_then(|text| of_text(&text, values)) {
        Some(mut found) => {
            found.retain(|e| match e {
                Effect::Read(value, _) | Effect::Write(value, _) => (*value as usize) < args.len(),
                _ => true,
            });
            found
        }
        // Made while the program runs, or too difficult: what it does to its values is not known.
        None if args.iter().skip(values as usize).any(pointer) => vec![Effect::Unseen],
        None => Vec::new(),
    }
}

/// Effects of a format whose first value is argument `value`; None where values are numbered or strings are wide.
fn of_text(format: &[u8], mut value: u32) -> Option<Vec<Effect>> {
    let mut found = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            continue;
        }
        // How much of a string is read at most, and the size of an integer.
        let (mut most, mut size) = (Len::Str, 4);
        while let Some(&c) = rest.peek() {
            match (c, most) {
                (b'*', _) => {
                    if most != Len::Str {
                        most = Len::StrMax(value);
                    }
                    value += 1;
                }
                (b'.', _) => most = Len::StrUpTo(0),
                (b'0'..=b'9', Len::StrUpTo(n)) => {
                    most = Len::StrUpTo(n.saturating_mul(10).saturating_add((c - b'0').into()));
                }
                (b'l' | b'j' | b'z' | b't' | b'q', _) => size = 8,
                (b'h', _) => size /= 2,
                (b'$', _) => return None,
                (b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'\'' | b'L', _) => {}
                _ => break,
            }
            rest.next();
        }
        match rest.next() {
            Some(b'%' | b'm') | None => continue,
            Some(b'S') => return None,
            Some(b's') if size == 8 => return None,
            Some(b's') => found.push(Effect::Read(value, most)),
            Some(b'n') => found.push(Effect::Write(value, Len::Const(size))),
            Some(_) => {}
        }
        value += 1;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{Effect, Len, of_text};

    #[test]
    fn strings_of_formats() {
        let reads = |format: &[u8]| {
            let read = |e: &Effect| match *e {
                Effect::Read(value, len) => (value, len),
                _ => unreachable!("no string"),
            };
            let found = of_text(format, 0).expect("a plain format");
            found.iter().map(read).collect::<Vec<_>>()
        };
        assert_eq!(reads(b"%d %s\n"), [(1, Len::Str)]);
        let widths = [(0, Len::Str), (3, Len::Str)];
        assert_eq!(reads(b"100%% %-20s|%*d|%s"), widths);
        let given = [(1, Len::StrMax(0)), (3, Len::Str)];
        assert_eq!(reads(b"%.*s %c %m %s"), given);
        let cut = [(0, Len::StrUpTo(15)), (2, Len::StrUpTo(0))];
        assert_eq!(reads(b"%20.15s %lu %.s"), cut);
        assert_eq!(reads(b"no values %"), []);
    }

    #[test]
    fn counts_are_written() {
        let count = |size| Effect::Write(1, Len::Const(size));
        assert_eq!(of_text(b"%d%n", 0), Some(vec![count(4)]));
        assert_eq!(of_text(b"%d%ln", 0), Some(vec![count(8)]));
        assert_eq!(of_text(b"%d%hhn", 0), Some(vec![count(1)]));
    }

    #[test]
    fn numbered_values_and_wide_strings_are_not_followed() {
        assert_eq!(of_text(b"%2$s %1$s", 0), None);
        assert_eq!(of_text(b"%5.2ls", 0), None);
    }
}
