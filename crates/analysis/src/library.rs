//! Code of the system's headers: it belongs to whoever calls it.

/// Whether a source file is one of the system's.
pub(crate) fn is_system(file: &str) -> bool {
    file.starts_with("/usr/")
}
