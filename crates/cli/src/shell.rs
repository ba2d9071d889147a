//! Words as a shell reads them.

use std::ffi::OsStr;

/// The word, between quotation marks where it would not be one word as it is.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let text = word.as_ref().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_for_a_shell() {
        assert_eq!(quoted("/usr/bin/parascan-c++"), "/usr/bin/parascan-c++");
        assert_eq!(quoted("/a b/c'c"), "'/a b/c'\\''c'");
        assert_eq!(quoted(""), "''");
    }
}
