//! How programs end, in words, and ending as one did.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use super::signals;

/// Ends this process as the program ended, once everything is written and cleared away: by the same signal, or else
/// with the exit code that is returned.
pub fn like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        signals::die_by(signal);
    }
    ExitCode::from(code(status).unwrap_or(1) as u8)
}

/// Exit code, or 128 and the number of the signal, as shells have it.
pub fn code(status: ExitStatus) -> Option<i32> {
    let signal = status.signal().map(|signal| 128 + signal);
    status.code().or(signal)
}

/// ` (it exited with code 3)`, to put behind a program's name; nothing where it ended well.
pub fn in_brackets(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => String::new(),
        (Some(code), _) => format!(" (it exited with code {code})"),
        (_, Some(signal)) => format!(" (it was ended by signal {signal})"),
        _ => String::new(),
    }
}

/// `it dies by signal 11 (segmentation fault)`.
pub fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ends with code {code}"),
        (_, Some(signal)) => format!("it dies by signal {signal}{}", meaning(signal)),
        _ => "it ends otherwise".to_owned(),
    }
}

fn meaning(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => " (segmentation fault)",
        libc::SIGABRT => " (abort)",
        libc::SIGFPE => " (arithmetic error)",
        libc::SIGBUS => " (bus error)",
        libc::SIGILL => " (illegal instruction)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_have_codes_and_words() {
        let (well, badly) = (ExitStatus::from_raw(0), ExitStatus::from_raw(3 << 8));
        let (fault, killed) = (ExitStatus::from_raw(11), ExitStatus::from_raw(9));
        assert_eq!(
            [well, badly, fault].map(code),
            [Some(0), Some(3), Some(139)]
        );
        assert_eq!(in_brackets(well), "");
        assert_eq!(in_brackets(badly), " (it exited with code 3)");
        assert_eq!(in_brackets(killed), " (it was ended by signal 9)");
        assert_eq!(in_words(badly), "it ends with code 3");
        assert_eq!(in_words(fault), "it dies by signal 11 (segmentation fault)");
        assert_eq!(in_words(killed), "it dies by signal 9");
    }
}
