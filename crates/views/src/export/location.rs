//! Source files as absolute paths and as URIs.

use std::fmt::Write;

/// `file` as the compiler named it, seen from the folder in which the compiler ran; without `.` and `..`.
pub(super) fn absolute(directory: &str, file: &str) -> String {
    let joined = if file.starts_with('/') || directory.is_empty() {
        file.to_owned()
    } else {
        format!("{directory}/{file}")
    };
    let rooted = joined.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

/// The path below `base`, if it is there. Both are absolute.
pub(super) fn below<'a>(base: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(base.trim_end_matches('/'))?
        .strip_prefix('/')
        .filter(|rest| !rest.is_empty())
}

/// The longest folder that contains all of these folders.
pub(super) fn common<'a>(folders: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut common: Option<Vec<&str>> = None;
    for folder in folders {
        let parts: Vec<&str> = folder.split('/').collect();
        common = Some(match common {
            None => parts,
            Some(known) => known
                .iter()
                .zip(&parts)
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| *a)
                .collect(),
        });
    }
    common.map(|parts| parts.join("/"))
}

/// A path as the path of a URI (RFC 3986): every byte that may not stand there is escaped. The first part of a
/// relative one contains no colon, so that it is not taken for a scheme.
pub(super) fn uri_path(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_cleaned() {
        assert_eq!(absolute("/b/o", "../src/./a.c"), "/b/src/a.c");
        assert_eq!(absolute("/b", "/usr/x.h"), "/usr/x.h");
        assert_eq!(absolute("", "a//b.c"), "a/b.c");
        assert_eq!(absolute("", "../b.c"), "../b.c");
        assert_eq!(absolute("/", "../../b.c"), "/b.c");
    }

    #[test]
    fn bases() {
        assert_eq!(below("/a", "/a/b.c"), Some("b.c"));
        assert_eq!(below("/a/", "/a/b.c"), Some("b.c"));
        assert_eq!(below("/a", "/ab/c.c"), None);
        assert_eq!(below("/", "/c.c"), Some("c.c"));
        assert_eq!(common(["/a/b", "/a/c"]).as_deref(), Some("/a"));
        assert_eq!(common(["/a/b"]).as_deref(), Some("/a/b"));
        assert_eq!(common([]), None);
    }

    #[test]
    fn uris() {
        assert_eq!(uri_path("a b/ü#?.c"), "a%20b/%C3%BC%23%3F.c");
        assert_eq!(uri_path("javascript:x"), "javascript%3Ax");
    }
}
