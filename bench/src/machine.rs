//! Which machine and compiler figures were taken on, and when.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// The machine and the day of a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Date in UTC, `YYYY-MM-DD`.
    pub date: String,
    /// Processor model as the kernel calls it.
    pub processor: String,
    /// Logical processors online.
    pub cores: usize,
    /// `MemTotal` of `/proc/meminfo`: what the kernel has to give; 0 when unknown.
    pub memory_bytes: u64,
    /// Kernel name and release.
    pub kernel: String,
    /// First line of `clang-22 --version`.
    pub clang: String,
}

impl Machine {
    /// The sentences above a table: when and where it was measured, and how often.
    pub fn measured(&self, repetitions: u32) -> String {
        format!(
            "{}.\nBest of {repetitions} alternating repetitions",
            self.taken()
        )
    }

    /// The same for a single measurement, without a full stop.
    pub fn taken(&self) -> String {
        format!(
            "Measured on {} on {}, {} cores, {:.1} GiB of memory, {}; {}",
            self.date,
            self.processor,
            self.cores,
            self.memory_bytes as f64 / (1u64 << 30) as f64,
            self.kernel,
            self.clang,
        )
    }

    /// This machine, now; what cannot be found out is `unknown`.
    pub fn here() -> Self {
        let unknown = || "unknown".to_owned();
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(file).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = field("/proc/meminfo", "MemTotal")
            .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease");
        let clang = Command::new("clang-22").arg("--version").output();
        Self {
            date: today(),
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: memory.unwrap_or(0) * 1024,
            kernel: kernel
                .map_or_else(|_| unknown(), |release| format!("Linux {}", release.trim())),
            clang: clang.ok().map_or_else(unknown, |output| {
                String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            }),
        }
    }
}

fn today() -> String {
    let days = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs() / 86400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1 January 1970, in the Gregorian calendar.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(20_453), (2025, 12, 31));
    }
}
