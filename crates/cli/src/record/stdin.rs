//! Standard input for every run: the first run gets it as it comes, later runs get the same bytes again.

use std::fs::File;
use std::io::{self, PipeWriter, Read, Seek, SeekFrom, Write};
use std::process::Stdio;
use std::thread::JoinHandle;

use rustix::fs::FileType;

use crate::exit::{Failure, FailureKind};

/// What standard input is, and how it can be had once more.
#[derive(Debug)]
pub enum InputSource {
    /// A terminal, a device, or only one run: inherited; later runs get none.
    Inherited,
    /// A file, from this offset on.
    File(u64),
    /// A pipe or socket, copied to a file on its way to the first run.
    Stream(InputCopy),
}

/// The copy of a stream.
#[derive(Debug)]
pub struct InputCopy {
    copy: File,
    thread: Option<JoinHandle<()>>,
}

impl InputSource {
    /// Looks at standard input; `several` tells whether more than one run may need it.
    pub fn of_process(several: bool) -> io::Result<Self> {
        let stdin = io::stdin();
        let kind = rustix::fs::fstat(&stdin).map(|s| FileType::from_raw_mode(s.st_mode));
        Ok(match kind {
            Ok(FileType::RegularFile) if several => Self::File(rustix::fs::tell(&stdin)?),
            Ok(FileType::Fifo | FileType::Socket) if several => Self::Stream(InputCopy {
                copy: tempfile::tempfile()?,
                thread: None,
            }),
            _ => Self::Inherited,
        })
    }

    /// Whether runs can start before the first one has ended.
    pub fn replayable_at_once(&self) -> bool {
        !matches!(self, Self::Stream(_))
    }

    /// Standard input for the first run.
    pub fn first(&mut self) -> io::Result<Stdio> {
        match self {
            Self::Inherited | Self::File(_) => Ok(Stdio::inherit()),
            Self::Stream(spool) => {
                let (reader, writer) = io::pipe()?;
                let copy = spool.copy.try_clone()?;
                spool.thread = Some(std::thread::spawn(move || pass_on(writer, copy)));
                Ok(reader.into())
            }
        }
    }

    /// Standard input for a later run, as the first one had it.
    pub fn again(&mut self) -> io::Result<Stdio> {
        match self {
            Self::Inherited => Ok(Stdio::null()),
            Self::File(offset) => at_offset(*offset),
            Self::Stream(spool) => {
                // The thread may still wait for bytes that the first run never asked for; what it copied is enough.
                if spool.thread.as_ref().is_some_and(JoinHandle::is_finished) {
                    spool.thread.take().map(JoinHandle::join);
                }
                use std::os::fd::AsRawFd;
                let mut copy = File::open(format!("/proc/self/fd/{}", spool.copy.as_raw_fd()))?;
                copy.rewind()?;
                Ok(copy.into())
            }
        }
    }
}

/// The run that observes dependences cannot have it.
pub fn not_for_evidence(e: io::Error) -> Failure {
    let message = format!("cannot give standard input to the run for dependences: {e}");
    Failure::new(FailureKind::Io, message)
}

fn at_offset(offset: u64) -> io::Result<Stdio> {
    let mut file = File::open("/proc/self/fd/0")?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(file.into())
}

/// Copies standard input to the program and to the spool, until the end of either.
fn pass_on(mut program: PipeWriter, mut copy: File) {
    let mut buffer = vec![0; 1 << 16];
    let mut stdin = io::stdin().lock();
    loop {
        let length = match stdin.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => length,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        // Spool first: the program may end at any moment, and a later run must not get less than the first.
        if copy.write_all(&buffer[..length]).is_err()
            || program.write_all(&buffer[..length]).is_err()
        {
            break;
        }
    }
    // The program reads no more: let the other end of our input know, as it would without us in between.
    if let Ok(null) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(null);
    }
}
