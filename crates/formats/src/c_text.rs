//! Parts of the text of C and C++ and their lengths in bytes: as much of the grammar as it takes to tell code from
//! comments and from what stands in quotation marks.

/// Whether a byte belongs to identifiers and numbers.
#[must_use]
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// The first word of letters, digits and underscores behind blanks, and the rest of the text.
#[must_use]
pub fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    text.split_at(end.unwrap_or(text.len()))
}

/// Length of a backslash with the end of a line.
#[must_use]
pub fn splice(text: &[u8]) -> Option<usize> {
    [&b"\\\n"[..], b"\\\r\n"]
        .iter()
        .find(|s| text.starts_with(s))
        .map(|s| s.len())
}

/// Length of a comment without the end of its last line.
#[must_use]
pub fn comment(text: &[u8]) -> Option<usize> {
    if text.starts_with(b"//") {
        let mut at = 2;
        while at < text.len() && text[at] != b'\n' {
            at += splice(&text[at..]).unwrap_or(1);
        }
        return Some(at);
    }
    let inner = text.strip_prefix(b"/*")?;
    let end = inner.windows(2).position(|w| w == b"*/");
    Some(end.map_or(text.len(), |end| end + 4))
}

/// Length of the string or character literal that a text begins with; one that is not closed ends with its line.
///
/// # Panics
/// There is no text.
#[must_use]
pub fn literal(text: &[u8]) -> usize {
    match quoted(text) {
        Ok(length) | Err(length) => length,
    }
}

/// The same; none where the literal is not closed.
///
/// # Panics
/// There is no text.
#[must_use]
pub fn closed_literal(text: &[u8]) -> Option<usize> {
    quoted(text).ok()
}

/// Length of a literal; in `Err` where its line ends before its second quotation mark.
fn quoted(text: &[u8]) -> Result<usize, usize> {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        if text[at] == quote {
            return Ok(at + 1);
        }
        at += splice(&text[at..]).unwrap_or(if text[at] == b'\\' { 2 } else { 1 });
    }
    Err(at.min(text.len()))
}

/// Whether a word makes the string behind it a raw one.
#[must_use]
pub fn is_raw_prefix(word: &[u8]) -> bool {
    matches!(word, b"R" | b"u8R" | b"uR" | b"UR" | b"LR")
}

/// Length of `"delimiter(...)delimiter"`, behind its prefix; all of the text where it is not closed.
#[must_use]
pub fn raw_string(text: &[u8]) -> usize {
    let Some(open) = text.iter().position(|&b| b == b'(') else {
        return 1;
    };
    let end = [b")", &text[1..open], b"\""].concat();
    let found = text.windows(end.len()).position(|w| w == end);
    found.map_or(text.len(), |at| at + end.len())
}

/// Length of a number, with the apostrophes between its digits.
#[must_use]
pub fn number(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let separator = byte == b'\'' && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word(byte) || byte == b'.' || separator) {
            break;
        }
        at += 1;
    }
    at
}

/// Length of the line with its continuations, without its end; and its text without comments.
#[must_use]
pub fn logical_line(text: &[u8]) -> (usize, String) {
    let mut line = Vec::new();
    let mut at = 0;
    while at < text.len() && text[at] != b'\n' {
        if let Some(length) = splice(&text[at..]) {
            at += length;
        } else if let Some(length) = comment(&text[at..]) {
            line.push(b' ');
            at += length;
        } else {
            let length = if text[at] == b'"' {
                literal(&text[at..])
            } else {
                1
            };
            line.extend(&text[at..at + length]);
            at += length;
        }
    }
    (at, String::from_utf8_lossy(&line).into_owned())
}
