//! Code of the system's headers, and of Rust's library: it belongs to whoever calls it.

/// Whether a source file is one of the system's.
pub(crate) fn is_system(file: &str) -> bool {
    let folders = ["/usr/", "/rustc/", "/rust/deps/"];
    folders.iter().any(|folder| file.starts_with(folder)) || file.contains("/rustlib/src/rust/")
}
