//! Which file a command word names, by the shell's rules.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rustix::fs::{Access, access};

/// Where programs are looked for if no variable says it.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The file: a path as it is, else the first of that name on the PATH that can be executed; if none can, the first that
/// is there.
pub fn find(word: &OsStr) -> Option<PathBuf> {
    if word.as_bytes().contains(&b'/') {
        return Some(word.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    find_in(&path, word)
}

fn find_in(path: &OsStr, word: &OsStr) -> Option<PathBuf> {
    if word.is_empty() {
        return None;
    }
    let places = std::env::split_paths(path).map(|folder| folder.join(word));
    let mut files = places.filter(|place| place.is_file()).peekable();
    let first = files.peek().cloned();
    let executable = files.find(|file| access(file, Access::EXEC_OK).is_ok());
    executable.or(first)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_can_be_executed_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let (text, script) = (file("a/both", 0o644), file("b/both", 0o755));
        let only_text = file("a/text", 0o644);
        let folders = [text.parent().unwrap(), script.parent().unwrap()];
        let path = std::env::join_paths(folders).unwrap();
        let found = |word: &str| find_in(&path, OsStr::new(word));
        assert_eq!(found("both"), Some(script));
        assert_eq!(found("text"), Some(only_text));
        assert_eq!((found("neither"), found("")), (None, None));
        assert_eq!(find(OsStr::new("./x")), Some(PathBuf::from("./x")));
    }
}
