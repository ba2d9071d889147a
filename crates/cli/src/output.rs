//! A file that a command writes: checked before the work begins, written whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::exit::{Failure, FailureKind, Outcome};

/// A place where a file can be put.
#[derive(Debug)]
pub struct OutputFile {
    shown: PathBuf,
    directory: PathBuf,
    name: OsString,
}

impl OutputFile {
    /// Checks that the path names a regular file, or nothing, in a directory that can be written.
    pub fn check(path: &Path) -> Outcome<Self> {
        let shown = path.display();
        if let Ok(metadata) = fs::metadata(path) {
            let kind = metadata.file_type();
            let what = if kind.is_dir() {
                "a directory"
            } else if kind.is_fifo() {
                "a pipe"
            } else if kind.is_socket() {
                "a socket"
            } else if !kind.is_file() || in_device_folder(path) {
                "a device"
            } else {
                ""
            };
            if !what.is_empty() {
                return Err(Failure::new(
                    FailureKind::NotAFile,
                    format!(
                        "{shown} is {what}; -o takes the name of a file, which is replaced as a whole"
                    ),
                ));
            }
        } else if in_device_folder(path) {
            return Err(Failure::new(
                FailureKind::NotAFile,
                format!("{shown} is in a folder of devices; -o takes the name of a file"),
            ));
        }
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::new(
                FailureKind::CannotCreate,
                format!("cannot create {shown}: {error}; give another place with -o FILE"),
            )
        };
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(e) if e.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                std::path::absolute(path).map_err(|e| cannot(&e))?
            }
            Err(e) => return Err(cannot(&e)),
        };
        let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(cannot(&"it has no file name"));
        };
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(cannot(
                &"it ends with a slash, and there is no such directory",
            ));
        }
        let output = Self {
            shown: path.to_owned(),
            directory: directory.to_owned(),
            name: name.to_owned(),
        };
        // The only sure test for a writable directory is to write. The file does not stay: a recorded program may look
        // around.
        output
            .temporary()
            .and_then(tempfile::NamedTempFile::close)
            .map_err(|e| cannot(&bare(&e)))?;
        Ok(output)
    }

    /// The place for the profile of the `number`-th further process.
    pub fn further(&self, number: usize) -> Outcome<Self> {
        let mut path = self.shown.clone().into_os_string();
        path.push(format!(".{number}"));
        Self::check(Path::new(&path))
    }

    /// The file's name as the user gave it.
    pub fn shown(&self) -> std::path::Display<'_> {
        self.shown.display()
    }

    /// Puts the bytes in place. Whatever goes wrong, a file that was there before stays as it was.
    pub fn write(&self, bytes: &[u8]) -> Outcome<()> {
        self.try_write(bytes).map_err(|error| self.failed(&error))
    }

    /// Begins to write what does not fit in memory.
    pub fn begin(&self) -> Outcome<PendingFile<'_>> {
        match self.temporary() {
            Ok(file) => Ok(PendingFile {
                output: self,
                file: BufWriter::with_capacity(1 << 20, file),
            }),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// What to say when writing failed.
    pub fn failed(&self, error: &io::Error) -> Failure {
        let (kind, remedy) = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => (
                FailureKind::Io,
                "free some space, or give another place with -o FILE, and try again",
            ),
            _ => (
                FailureKind::CannotCreate,
                "give another place with -o FILE, and try again",
            ),
        };
        let (shown, error) = (self.shown.display(), bare(error));
        Failure::new(kind, format!("cannot write {shown}: {error}; {remedy}"))
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.temporary()?;
        file.write_all(bytes)?;
        self.persist(file)
    }

    /// Puts a complete file in place.
    fn persist(&self, file: tempfile::NamedTempFile) -> io::Result<()> {
        let target = self.directory.join(&self.name);
        if let Ok(old) = fs::metadata(&target) {
            let mode = old.permissions().mode() & 0o777;
            file.as_file()
                .set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|e| e.error)?;
        // The name is durable once the directory is; not every file system can do that.
        let _ = File::open(&self.directory).and_then(|d| d.sync_all());
        Ok(())
    }

    fn temporary(&self) -> io::Result<tempfile::NamedTempFile> {
        let mut prefix = OsString::from(".");
        prefix.push(OsStr::new(&self.name));
        prefix.push(".");
        tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(&self.directory)
    }
}

/// What an error says without the name of the temporary file, which nobody asked for and `tempfile` puts behind it.
fn bare(error: &io::Error) -> String {
    let text = error.to_string();
    let place = text.find(" at path \"");
    place
        .map_or(text.as_str(), |place| &text[..place])
        .to_owned()
}

/// A file that is being written: under another name until all of it is there.
#[derive(Debug)]
pub struct PendingFile<'a> {
    output: &'a OutputFile,
    file: BufWriter<tempfile::NamedTempFile>,
}

impl PendingFile<'_> {
    /// Gives the file its name, in place of what had it before.
    pub fn keep(self) -> Outcome<()> {
        let output = self.output;
        let file = self.file.into_inner().map_err(|e| e.into_error());
        file.and_then(|file| output.persist(file))
            .map_err(|error| output.failed(&error))
    }
}

impl Write for PendingFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Files there stand for something else, whatever they look like (`/dev/stdout` redirected to a file).
fn in_device_folder(path: &Path) -> bool {
    std::path::absolute(path).is_ok_and(|p| {
        p.starts_with("/proc") || (p.starts_with("/dev") && !p.starts_with("/dev/shm"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: impl AsRef<Path>) -> FailureKind {
        OutputFile::check(path.as_ref()).unwrap_err().kind()
    }

    #[test]
    fn errors_do_not_name_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing/file");
        let said = OutputFile::check(&missing).unwrap_err().to_string();
        assert!(
            !said.contains("at path") && !said.contains("/.file"),
            "{said}"
        );
        assert!(said.contains("No such file or directory"), "{said}");
    }

    #[test]
    fn only_files_are_accepted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kind(folder.path()), FailureKind::NotAFile);
        for device in [
            "/dev/null",
            "/dev/full",
            "/dev/stdout",
            "/dev/nothing",
            "/proc/self/fd/1",
        ] {
            assert_eq!(kind(device), FailureKind::NotAFile, "{device}");
        }
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        assert_eq!(kind(&pipe), FailureKind::NotAFile);
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(kind(&socket), FailureKind::NotAFile);
        assert_eq!(
            kind(folder.path().join("missing/p")),
            FailureKind::CannotCreate
        );
        assert_eq!(
            kind(folder.path().join("missing/")),
            FailureKind::CannotCreate
        );
        assert_eq!(kind(""), FailureKind::CannotCreate);
    }

    #[test]
    fn nothing_is_left_by_a_check_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let output = OutputFile::check(&link).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        output.write(b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_failure_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let output = OutputFile::check(&file).unwrap();
        // A directory of that name appears in the meantime: the rename fails.
        fs::create_dir_all(file.join("x")).unwrap();
        assert_eq!(
            output.write(b"new").unwrap_err().kind(),
            FailureKind::CannotCreate
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
