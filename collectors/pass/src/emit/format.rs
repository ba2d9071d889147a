//! What a format of the `printf` family makes the function read: the strings of its `%s`.

use crate::ir::Value;

use super::library::Effect;

/// Reads of strings by a call whose constant format is argument `format` and whose values follow it. Formats that are made while
/// the program runs, wide strings, and strings with a precision in figures (which need no end) are not known.
pub(super) fn reads(call: Value, format: u32) -> Vec<Effect> {
    let arguments = call.args().len() as u32;
    let Some(text) = call.operand(format).constant_string() else {
        return Vec::new();
    };
    let found = strings(&text).into_iter();
    found
        .map(|(string, most)| (format + 1 + string, most.map(|m| format + 1 + m)))
        .filter(|(string, _)| *string < arguments)
        .map(|(string, most)| match most {
            Some(most) => Effect::ReadStrMax(string, most),
            None => Effect::ReadStr(string),
        })
        .collect()
}

/// Numbers of the values that are strings, each with that of the value which says how much of it is read (`%.*s`).
fn strings(format: &[u8]) -> Vec<(u32, Option<u32>)> {
    let mut found = Vec::new();
    let mut value = 0;
    let mut rest = format.iter().copied().peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            continue;
        }
        let (mut most, mut exact, mut long) = (None, false, false);
        while let Some(&c) = rest.peek() {
            match c {
                b'*' => {
                    most = exact.then_some(value);
                    value += 1;
                }
                b'.' => exact = true,
                b'l' => long = true,
                b'$' => return Vec::new(), // numbered values
                b'-'
                | b'+'
                | b' '
                | b'#'
                | b'0'..=b'9'
                | b'\''
                | b'h'
                | b'j'
                | b'z'
                | b't'
                | b'L'
                | b'q' => {}
                _ => break,
            }
            rest.next();
        }
        match rest.next() {
            Some(b'%' | b'm') | None => {}
            Some(b's') if !long && (!exact || most.is_some()) => {
                found.push((value, most));
                value += 1;
            }
            Some(_) => value += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::strings;

    #[test]
    fn strings_of_formats() {
        assert_eq!(strings(b"%d %s\n"), [(1, None)]);
        assert_eq!(strings(b"100%% %-20s|%*d|%s"), [(0, None), (3, None)]);
        assert_eq!(strings(b"%.*s %c %m %s"), [(1, Some(0)), (3, None)]);
        assert_eq!(strings(b"%.5s %ls %lu %s"), [(3, None)]);
        assert_eq!(strings(b"%2$s %1$s"), []);
        assert_eq!(strings(b"no values %"), []);
    }
}
