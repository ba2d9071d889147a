//! Starts a program with the environment of this process in its own order, and more variables behind it.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};

/// Starts the program `file` with these arguments, its own name first. `more` stands in place of variables of the same
/// names. ([`Command`] alone sorts the variables when it is given one.)
///
/// # Errors
/// As [`Command::spawn`] has them.
pub fn spawn(file: &Path, arguments: &[OsString], more: &[(&str, OsString)]) -> io::Result<Child> {
    let inherited = std::fs::read("/proc/self/environ")?;
    let arguments = strings(
        arguments
            .iter()
            .map(|argument| argument.as_bytes().to_vec()),
    )?;
    let environment = strings(environment(&inherited, more))?;
    let path = CString::new(file.as_os_str().as_bytes())?;
    let (argv, envp) = (Pointers::of(&arguments), Pointers::of(&environment));
    let mut command = Command::new(file);
    // SAFETY: what runs between fork and exec allocates nothing and calls nothing but execve; the strings live as long
    // as the lists that point to them, up to the end of this function.
    unsafe {
        command.pre_exec(move || {
            libc::execve(path.as_ptr(), argv.first(), envp.first());
            Err(io::Error::last_os_error())
        });
    }
    command.spawn()
}

/// Pointers to strings, and a null pointer.
struct Pointers(Vec<*const c_char>);

// SAFETY: they are only read, and their strings do not change.
unsafe impl Send for Pointers {}
// SAFETY: as above.
unsafe impl Sync for Pointers {}

impl Pointers {
    fn of(strings: &[CString]) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr());
        Self(pointers.chain([std::ptr::null()]).collect())
    }

    fn first(&self) -> *const *const c_char {
        self.0.as_ptr()
    }
}

fn strings(list: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Vec<CString>> {
    let list = list.into_iter().map(CString::new);
    Ok(list.collect::<Result<_, _>>()?)
}

/// The variables inherited, separated by zeros, without those of the same names as `more`, and these.
fn environment(inherited: &[u8], more: &[(&str, OsString)]) -> Vec<Vec<u8>> {
    let is_replaced = |variable: &[u8]| {
        more.iter().any(|(name, _)| {
            let rest = variable.strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&b'='))
        })
    };
    let own = inherited
        .split(|byte| *byte == 0)
        .filter(|variable| !variable.is_empty() && !is_replaced(variable))
        .map(<[u8]>::to_vec);
    let more = more.iter().map(|(name, value)| {
        let mut text = OsString::from(name);
        text.push(OsStr::new("="));
        text.push(value);
        text.into_vec()
    });
    own.chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_keep_their_order() {
        let more = [("NEW", "1".into()), ("OLD", "2".into())];
        let found = environment(b"Z=1\0no equals sign\0OLD=0\0A=\0OLDER=3\0", &more);
        let found: Vec<_> = found.iter().map(|v| str::from_utf8(v)).collect();
        let expected = ["Z=1", "no equals sign", "A=", "OLDER=3", "NEW=1", "OLD=2"];
        assert_eq!(found, expected.map(Ok));
    }
}
