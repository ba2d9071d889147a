//! What a program left behind, and whether two runs of it agree.

use std::collections::BTreeMap;

/// What a run printed and wrote, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// Exit code, 128 plus the number of a signal.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Files that the program writes, by name.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Largest relative difference that counts as rounding where a pragma reorders sums.
const ROUNDING: f64 = 1e-5;

impl RunResult {
    /// The first difference from `expected`, in words; numbers with a fraction may differ by rounding where `rounding`
    /// says so, and only they.
    pub fn difference(&self, expected: &Self, rounding: bool) -> Option<String> {
        if self.code != expected.code {
            return Some(format!("exit code {} for {}", self.code, expected.code));
        }
        if let Some(words) = text_difference(&self.stdout, &expected.stdout, rounding) {
            return Some(words);
        }
        let differs = expected
            .files
            .iter()
            .find(|(name, bytes)| self.files.get(*name) != Some(bytes))?;
        Some(format!("file {} differs", differs.0))
    }
}

fn text_difference(found: &[u8], expected: &[u8], rounding: bool) -> Option<String> {
    if found == expected {
        return None;
    }
    let (found, expected) = (
        String::from_utf8_lossy(found),
        String::from_utf8_lossy(expected),
    );
    let split = |text: &str| -> Vec<String> {
        text.split(|c: char| c.is_whitespace() || "=,;:()[]".contains(c))
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (found, expected) = (split(&found), split(&expected));
    if found.len() != expected.len() {
        return Some(format!(
            "{} words printed for {}",
            found.len(),
            expected.len()
        ));
    }
    found
        .iter()
        .zip(&expected)
        .find(|(f, e)| f != e && !(rounding && close(f, e)))
        .map(|(f, e)| format!("printed {f} for {e}"))
}

fn close(found: &str, expected: &str) -> bool {
    let fraction = |text: &str| text.contains(['.', 'e']);
    if !fraction(found) && !fraction(expected) {
        return false;
    }
    match (found.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(f), Ok(e)) => (f - e).abs() <= ROUNDING * e.abs().max(f.abs()).max(1e-9),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> RunResult {
        RunResult {
            stdout: text.into(),
            ..RunResult::default()
        }
    }

    #[test]
    fn only_fractions_round_and_only_where_sums_are_reordered() {
        let expected = printed("n=3 s=1.500001\n");
        let near = printed("n=3 s=1.500002\n");
        assert_eq!(near.difference(&expected, true), None);
        assert!(near.difference(&expected, false).is_some());
        assert!(
            printed("n=4 s=1.500001\n")
                .difference(&expected, true)
                .is_some()
        );
        assert!(printed("n=3 s=1.6\n").difference(&expected, true).is_some());
        assert!(printed("n=3\n").difference(&expected, true).is_some());
    }

    #[test]
    fn codes_and_files_count() {
        let mut expected = printed("1");
        expected.files.insert("out".into(), vec![1]);
        assert!(printed("1").difference(&expected, true).is_some());
        let mut other = expected.clone();
        other.code = 139;
        assert!(other.difference(&expected, true).is_some());
        assert_eq!(expected.difference(&expected.clone(), false), None);
    }
}
