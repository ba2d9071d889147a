//! A file that a command writes: checked before the work begins, written whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::exit::{Failure, FailureKind, Outcome};

/// A place where a file can be put.
#[derive(Debug)]
pub struct OutputFile {
    shown: PathBuf,
    /// How one says where it is to be.
    usage: &'static str,
    directory: PathBuf,
    name: OsString,
}

impl OutputFile {
    /// Checks that the path of `-o` names a regular file, or nothing, in a directory that can be written.
    pub fn check(path: &Path) -> Outcome<Self> {
        Self::check_for("-o FILE", path)
    }

    /// The same for another option than `-o`: messages say `usage`, such as `--report FILE`.
    pub fn check_for(usage: &'static str, path: &Path) -> Outcome<Self> {
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
                        "{shown} is {what}; {usage} names a file, which is replaced as a whole"
                    ),
                ));
            }
        } else if in_device_folder(path) {
            return Err(Failure::new(
                FailureKind::NotAFile,
                format!("{shown} is in a folder of devices; {usage} names a file"),
            ));
        }
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::new(
                FailureKind::CannotCreate,
                format!("cannot create {shown}: {error}; give another place with {usage}"),
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
            usage,
            directory: directory.to_owned(),
            name: name.to_owned(),
        };
        // The only sure test for a writable directory is to write. The file does not stay: a recorded program may look
        // around.
        let (_, test) = output.temporary().map_err(|e| cannot(&e))?;
        test.close().map_err(|e| cannot(&e))?;
        Ok(output)
    }

    /// The place for the profile of the `number`-th further process.
    fn further(&self, number: usize) -> Outcome<Self> {
        let mut path = self.shown.clone().into_os_string();
        path.push(format!(".{number}"));
        Self::check_for(self.usage, Path::new(&path))
    }

    /// Puts the bytes of the `number`-th process in place; the first one, 0, has the file itself.
    pub fn write_number(&self, number: usize, bytes: &[u8]) -> Outcome<()> {
        match number {
            0 => self.write(bytes),
            _ => self.further(number)?.write(bytes),
        }
    }

    /// Which files hold the processes beside the first, of so many; nothing where there are no others.
    pub fn further_in_words(&self, processes: usize) -> Option<String> {
        let (file, others) = (self.shown(), processes.saturating_sub(1));
        match others {
            0 => None,
            1 => Some(format!("a second process was recorded too: {file}.1")),
            _ => Some(format!(
                "{others} more processes were recorded: {file}.1 to {file}.{others}"
            )),
        }
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
            Ok((file, path)) => Ok(PendingFile {
                output: self,
                file: BufWriter::with_capacity(1 << 20, file),
                path,
            }),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// What to say when writing failed.
    pub fn failed(&self, error: &io::Error) -> Failure {
        let (kind, remedy) = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                (FailureKind::Io, "free some space, or ")
            }
            _ => (FailureKind::CannotCreate, ""),
        };
        let (shown, usage) = (self.shown.display(), self.usage);
        Failure::new(
            kind,
            format!(
                "cannot write {shown}: {error}; {remedy}give another place with {usage}, and try again"
            ),
        )
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<()> {
        let (mut file, path) = self.temporary()?;
        file.write_all(bytes)?;
        self.persist(&file, path)
    }

    /// Puts a complete file in place.
    fn persist(&self, file: &File, path: TempPath) -> io::Result<()> {
        let target = self.directory.join(&self.name);
        if let Ok(old) = fs::metadata(&target) {
            let mode = old.permissions().mode() & 0o777;
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()?;
        path.persist(&target).map_err(|e| e.error)?;
        // The name is durable once the directory is; not every file system can do that.
        let _ = File::open(&self.directory).and_then(|d| d.sync_all());
        Ok(())
    }

    /// A new file beside the target. Its name is in no error: nobody asked for that one.
    fn temporary(&self) -> io::Result<(File, TempPath)> {
        let mut prefix = OsString::from(".");
        prefix.push(OsStr::new(&self.name));
        prefix.push(".");
        let create = |path: &Path| {
            let mut options = File::options();
            options.write(true).create_new(true).open(path)
        };
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .make_in(&self.directory, create)?;
        Ok(file.into_parts())
    }
}

/// A file that is being written: under another name until all of it is there.
#[derive(Debug)]
pub struct PendingFile<'a> {
    output: &'a OutputFile,
    file: BufWriter<File>,
    path: TempPath,
}

impl PendingFile<'_> {
    /// Gives the file its name, in place of what had it before.
    pub fn keep(self) -> Outcome<()> {
        let output = self.output;
        let file = self.file.into_inner().map_err(|e| e.into_error());
        file.and_then(|file| output.persist(&file, self.path))
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
    fn further_processes_are_named_by_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.prof");
        let output = OutputFile::check(&path).unwrap();
        let file = path.display();
        assert_eq!(output.further_in_words(1), None);
        assert_eq!(
            output.further_in_words(2).unwrap(),
            format!("a second process was recorded too: {file}.1")
        );
        assert_eq!(
            output.further_in_words(4).unwrap(),
            format!("3 more processes were recorded: {file}.1 to {file}.3")
        );
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

    /// Messages have the name that the user gave, that of the option, and none that is temporary.
    #[test]
    fn failures_name_what_the_user_gave() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("missing").join("h.svg");
        let failure = OutputFile::check_for("--histogram FILE", &file).unwrap_err();
        let said = format!(
            "cannot create {}: No such file or directory (os error 2); give another place with --histogram FILE",
            file.display()
        );
        assert_eq!(failure.to_string(), said);
        let failure = OutputFile::check_for("--histogram FILE", folder.path()).unwrap_err();
        assert!(failure.to_string().contains("; --histogram FILE names"));
        // The folder goes away, or the file cannot get its name.
        let file = folder.path().join("h.svg");
        let output = OutputFile::check_for("--histogram FILE", &file).unwrap();
        fs::create_dir_all(file.join("x")).unwrap();
        let taken = output.write(b"new").unwrap_err();
        let mut pending = output.begin().unwrap();
        pending.write_all(b"new").unwrap();
        let taken_later = pending.keep().unwrap_err();
        fs::remove_dir_all(folder.path()).unwrap();
        let gone = output.write(b"new").unwrap_err();
        let start = format!("cannot write {}: ", file.display());
        for failure in [taken, taken_later, gone] {
            let said = failure.to_string();
            let why = said.strip_prefix(&start).unwrap();
            assert!(!why.contains("h.svg"), "{said}");
        }
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
