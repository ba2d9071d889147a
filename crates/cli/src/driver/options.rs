//! parascan's own options among clang's: found, removed, validated, and handed to the pass through the environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use super::response;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::latencies;

/// Environment variable with the bits of a clock.
const CLOCK: &str = "PARASCAN_CLOCK";
/// Environment variable that asks for tracked code alone.
const EXACT: &str = "PARASCAN_EXACT";
/// Environment variable with the processors that tracked code is for.
const ISA: &str = "PARASCAN_ISA";
/// Environment variable that tells the pass of bursts.
const BURSTS: &str = "PARASCAN_BURSTS";
/// What it is for native versions of functions beside the tracked ones.
const NATIVE: &str = "native";
/// What it is for code that is tracked all the time and can be looked at in bursts: for comparisons alone
/// (`docs/bursts.md`), and set by who compares.
const TRACKED: &str = "tracked";
/// Environment variable that asks for a build for `parascan omp`.
const WATCH: &str = "PARASCAN_WATCH";
const PREFIX: &[u8] = b"--parascan-";

/// Own options of one command line; later ones win.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DriverOptions {
    latency: Option<OsString>,
    clock: Option<OsString>,
    isa: Option<OsString>,
    dump: Option<OsString>,
    exact: bool,
    watch: bool,
}

impl DriverOptions {
    /// Separates own options from clang's. Response files stay as they are unless they contain own options.
    pub fn split_off(arguments: Vec<OsString>, short: bool) -> Outcome<(Vec<OsString>, Self)> {
        let mut options = Self::default();
        let direct = options.take(arguments, short)?;
        let flat = response::expand(&direct);
        if !flat.iter().any(|a| a.as_bytes().starts_with(PREFIX)) {
            return Ok((direct, options));
        }
        let cleaned = options.take(flat, false)?;
        let file = response::in_memory(&cleaned).map_err(|e| {
            Failure::new(
                FailureKind::Io,
                format!(
                    "cannot rewrite the response file: {e}; give --parascan- options outside of it"
                ),
            )
        })?;
        Ok((vec![file], options))
    }

    /// Removes own options from a list without response files.
    fn take(&mut self, arguments: Vec<OsString>, short: bool) -> Outcome<Vec<OsString>> {
        let mut rest = Vec::with_capacity(arguments.len());
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let bytes = argument.as_bytes();
            let own = bytes.strip_prefix(PREFIX).or_else(|| {
                let name = bytes.strip_prefix(b"--").filter(|_| short)?;
                [
                    &b"latency"[..],
                    b"clock",
                    b"isa",
                    b"dump",
                    b"exact",
                    b"watch",
                ]
                .iter()
                .any(|known| {
                    name == *known
                        || name
                            .strip_prefix(*known)
                            .is_some_and(|v| v.starts_with(b"="))
                })
                .then_some(name)
            });
            let Some(own) = own else {
                rest.push(argument);
                continue;
            };
            let (name, value) = match own.iter().position(|&b| b == b'=') {
                Some(at) => (
                    &own[..at],
                    Some(OsStr::from_bytes(&own[at + 1..]).to_owned()),
                ),
                None => (own, None),
            };
            if (name, &value) == (b"watch", &None) {
                self.watch = true;
                continue;
            }
            if (name, &value) == (b"exact", &None) {
                self.exact = true;
                continue;
            }
            let target = match name {
                b"latency" => &mut self.latency,
                b"clock" => &mut self.clock,
                b"isa" => &mut self.isa,
                b"dump" => &mut self.dump,
                _ => {
                    return Err(Failure::new(
                        FailureKind::Usage,
                        format!(
                            "unknown option {}; there are --parascan-latency=TABLE, --parascan-clock=BITS, --parascan-isa=LEVEL, --parascan-dump=PREFIX, --parascan-exact and --parascan-watch",
                            argument.display()
                        ),
                    ));
                }
            };
            let value = value.or_else(|| arguments.next()).filter(|v| !v.is_empty());
            *target = Some(value.ok_or_else(|| {
                Failure::new(
                    FailureKind::Usage,
                    format!("option {} needs a value", argument.display()),
                )
            })?);
        }
        Ok(rest)
    }

    /// Sets the pass's environment. The latency table is read once here, so that a wrong one is reported once.
    pub fn apply(&self, command: &mut Command) -> Outcome<()> {
        let long = self.long_clocks()?;
        command.env(CLOCK, if long { "64" } else { "32" });
        command.env(ISA, self.isa()?);
        match self.for_bursts()? {
            Some(value) => command.env(BURSTS, value),
            None => command.env_remove(BURSTS),
        };
        let from_environment = || std::env::var_os(latencies::ENV).filter(|v| !v.is_empty());
        if let Some(table) = self.latency.clone().or_else(from_environment) {
            latencies::table(Path::new(&table))?;
            let table = if latencies::is_preset(&table) {
                table
            } else {
                absolute(&table)
            };
            command.env(latencies::ENV, table);
        } else {
            command.env_remove(latencies::ENV);
        }
        if let Some(prefix) = &self.dump {
            command.env("PARASCAN_DUMP", absolute(prefix));
        }
        Ok(())
    }
}

impl DriverOptions {
    /// Whether the program is built for `parascan omp` and not for plans.
    pub fn watch(&self) -> Outcome<bool> {
        let watch = self.watch || is_set(WATCH);
        let own = [&self.latency, &self.clock, &self.isa, &self.dump];
        let others = own.into_iter().any(Option::is_some);
        if watch && (others || self.exact) {
            return Err(Failure::new(
                FailureKind::Usage,
                "builds for parascan omp (--parascan-watch, PARASCAN_WATCH) have no pass: --parascan-latency, --parascan-clock, --parascan-isa, --parascan-dump and --parascan-exact do not go with it",
            ));
        }
        Ok(watch)
    }

    /// What the pass is told of bursts; none: nothing. Long clocks are for what is tracked as a whole: bursts need
    /// none.
    fn for_bursts(&self) -> Outcome<Option<&'static str>> {
        if std::env::var_os(BURSTS).is_some_and(|v| v == TRACKED) {
            return Ok(Some(TRACKED));
        }
        let exact = self.exact || is_set(EXACT) || self.long_clocks()?;
        Ok((!exact).then_some(NATIVE))
    }

    /// Processors that tracked code is for: `v3` (with AVX2) or `v2`, of x86-64's levels.
    fn isa(&self) -> Outcome<&'static str> {
        let level = self.isa.clone().or_else(|| std::env::var_os(ISA));
        match level.as_deref().map(OsStr::as_bytes) {
            None | Some(b"" | b"v3") => Ok("v3"),
            Some(b"v2") => Ok("v2"),
            Some(_) => Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "tracked code is for processors of x86-64's level v2 or v3, not `{}`: correct --parascan-isa or {ISA}",
                    level.unwrap_or_default().display()
                ),
            )),
        }
    }

    /// Whether clocks have 64 bits.
    pub fn long_clocks(&self) -> Outcome<bool> {
        let bits = self.clock.clone().or_else(|| std::env::var_os(CLOCK));
        match bits.as_deref().map(OsStr::as_bytes) {
            None | Some(b"" | b"32") => Ok(false),
            Some(b"64") => Ok(true),
            Some(_) => Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "clocks have 32 or 64 bits, not `{}`: correct --parascan-clock or {CLOCK}",
                    bits.unwrap_or_default().display()
                ),
            )),
        }
    }
}

/// Whether a variable of the environment says yes.
fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|v| !v.is_empty() && v != "0")
}

fn absolute(path: &OsStr) -> OsString {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn own_options_disappear_and_the_last_wins() {
        let given = words(&[
            "-O2",
            "--parascan-latency=unit",
            "a.c",
            "--parascan-latency",
            "kremlin",
            "-c",
        ]);
        let (rest, options) = DriverOptions::split_off(given, false).unwrap();
        assert_eq!(rest, words(&["-O2", "a.c", "-c"]));
        assert_eq!(
            options,
            DriverOptions {
                latency: Some("kremlin".into()),
                ..DriverOptions::default()
            }
        );
    }

    #[test]
    fn short_forms_only_where_asked_for() {
        let given = words(&[
            "--latency=unit",
            "--clock=64",
            "--isa=v2",
            "--dump",
            "p",
            "--exact",
            "a.c",
        ]);
        let (rest, options) = DriverOptions::split_off(given.clone(), true).unwrap();
        assert_eq!(rest, words(&["a.c"]));
        assert_eq!(
            options,
            DriverOptions {
                latency: Some("unit".into()),
                clock: Some("64".into()),
                isa: Some("v2".into()),
                dump: Some("p".into()),
                exact: true,
                watch: false
            }
        );
        assert_eq!(
            DriverOptions::split_off(given.clone(), false).unwrap(),
            (given, DriverOptions::default())
        );
    }

    #[test]
    fn response_files_are_rewritten_only_when_needed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r");
        let name = OsString::from(format!("@{}", file.display()));
        std::fs::write(&file, "-c \"a b.c\"").unwrap();
        assert_eq!(
            DriverOptions::split_off(vec![name.clone()], false)
                .unwrap()
                .0,
            std::slice::from_ref(&name)
        );
        std::fs::write(&file, "-c --parascan-latency=unit \"a b.c\"").unwrap();
        let (rest, options) = DriverOptions::split_off(vec![name, "-O1".into()], false).unwrap();
        assert_eq!(options.latency.as_deref(), Some(OsStr::new("unit")));
        assert_eq!(response::expand(&rest), words(&["-c", "a b.c", "-O1"]));
    }

    #[test]
    fn watching_goes_with_no_option_of_the_pass() {
        let (rest, options) =
            DriverOptions::split_off(words(&["--parascan-watch", "a.c"]), false).unwrap();
        assert_eq!(rest, words(&["a.c"]));
        assert!(options.watch().unwrap());
        let given = words(&["--watch", "--clock=64"]);
        let (_, options) = DriverOptions::split_off(given, true).unwrap();
        assert_eq!(options.watch().unwrap_err().kind(), FailureKind::Usage);
    }

    #[test]
    fn levels_of_processors() {
        let level = |given: &str| {
            let (_, options) = DriverOptions::split_off(words(&[given]), false).unwrap();
            options.isa()
        };
        assert_eq!(level("--parascan-isa=v2").unwrap(), "v2");
        assert_eq!(level("--parascan-isa=v3").unwrap(), "v3");
        let error = level("--parascan-isa=v4").unwrap_err();
        assert_eq!(error.kind(), FailureKind::Usage);
    }

    #[test]
    fn unknown_and_empty_ones_are_errors() {
        for wrong in [
            "--parascan-latncy=unit",
            "--parascan-latency=",
            "--parascan-dump",
            "--parascan-watch=1",
        ] {
            assert_eq!(
                DriverOptions::split_off(words(&[wrong]), false)
                    .unwrap_err()
                    .kind(),
                FailureKind::Usage
            );
        }
    }
}
