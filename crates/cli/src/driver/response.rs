//! Response files (`@file`): reading them as clang does, and making one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::memory;

/// How deep response files may name each other; clang stops at a cycle, this is enough to do so too.
const MAX_DEPTH: u32 = 16;

/// The arguments with every readable response file replaced by its contents.
pub fn expand(arguments: &[OsString]) -> Vec<OsString> {
    let mut flat = Vec::with_capacity(arguments.len());
    expand_into(&mut flat, arguments, 0);
    flat
}

fn expand_into(flat: &mut Vec<OsString>, arguments: &[OsString], depth: u32) {
    for argument in arguments {
        match argument
            .as_bytes()
            .strip_prefix(b"@")
            .map(|name| fs::read(OsStr::from_bytes(name)))
        {
            Some(Ok(text)) if depth < MAX_DEPTH => expand_into(flat, &tokens(&text), depth + 1),
            _ => flat.push(argument.clone()),
        }
    }
}

/// Splits the text of a response file by GNU rules: white space separates, quotes and backslashes protect.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut tokens = Vec::new();
    let mut token: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => {
                if let Some(next) = bytes.next() {
                    token.get_or_insert_default().push(next);
                }
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => token.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                token.get_or_insert_default();
            }
            (b' ' | b'\t' | b'\r' | b'\n' | 0, None) => {
                tokens.extend(token.take().map(OsString::from_vec))
            }
            (_, None) => token.get_or_insert_default().push(byte),
        }
    }
    tokens.extend(token.map(OsString::from_vec));
    tokens
}

/// Puts arguments into a response file that lives in memory as long as the process (and what it becomes by `exec`);
/// the result is the one argument that names it.
///
/// # Errors
/// No memory file can be made.
pub fn in_memory(arguments: &[OsString]) -> io::Result<OsString> {
    let mut text = Vec::new();
    for argument in arguments {
        text.push(b'"');
        for &byte in argument.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend(b"\"\n");
    }
    Ok(format!("@{}", memory::file(&text, None)?).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn quotes_and_backslashes_protect() {
        let text = br#"-c  "a b.c" 'x"y' -DS=\"v\" e\ f
-o "" "a\\b""#;
        assert_eq!(
            tokens(text),
            words(&["-c", "a b.c", "x\"y", "-DS=\"v\"", "e f", "-o", "", "a\\b"])
        );
    }

    #[test]
    fn files_expand_within_files_and_missing_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().join("outer"), folder.path().join("inner"));
        fs::write(&inner, "-O2\n-g").unwrap();
        fs::write(&outer, format!("-c @{} a.c", inner.display())).unwrap();
        let arguments = words(&[&format!("@{}", outer.display()), "@missing"]);
        assert_eq!(
            expand(&arguments),
            words(&["-c", "-O2", "-g", "a.c", "@missing"])
        );
    }

    #[test]
    fn a_cycle_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("self");
        fs::write(&file, format!("@{}", file.display())).unwrap();
        assert_eq!(expand(&words(&[&format!("@{}", file.display())])).len(), 1);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let arguments = words(&["a b", "", "q\"uote", "back\\slash", "new\nline", "'"]);
        let name = in_memory(&arguments).unwrap();
        assert_eq!(expand(&[name]), arguments);
    }
}
