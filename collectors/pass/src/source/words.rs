//! Words of source text.

/// Whether names and numbers may have this sign in them.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words of a text, and empty ones between them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !is_word(c))
}

/// Whether a text names a variable.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    words(text).any(|word| word == name)
}

/// Whether a text has one of these words.
pub(super) fn mentions_any(text: &str, names: &[&str]) -> bool {
    words(text).any(|word| names.contains(&word))
}

/// Whether all of a text is one name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// The word at the end of a text.
pub(super) fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.trim_end_matches(is_word).len()..]
}

/// Whether a name is written as those of macros are.
pub(super) fn is_loud(name: &str) -> bool {
    let loud = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 1 && name.chars().all(loud) && name.contains(|c: char| c.is_ascii_uppercase())
}
