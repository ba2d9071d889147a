//! What stands behind `ompp` in a mark of the source: `phase start [name]`, `phase end [name]`.

/// Name of phases that have none.
const UNNAMED: &str = "phase";

/// The two ends of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseEnd {
    /// `start`.
    Begin,
    /// `end`.
    End,
}

/// One end of a phase, as a mark in the source says it.
#[derive(Debug, PartialEq, Eq)]
pub struct PhaseMark {
    /// Which end.
    pub edge: PhaseEnd,
    /// Name of the phase: no control characters, quotation marks or backslashes in it.
    pub name: String,
}

impl PhaseMark {
    /// Reads the words behind `ompp`. The name is a word, or anything between quotation marks.
    ///
    /// # Errors
    /// They are no mark; the message is one line without quotation marks.
    pub fn parse(words: &str) -> Result<Self, String> {
        let (what, rest) = word(words);
        if !what.eq_ignore_ascii_case("phase") {
            return Err(unknown(what));
        }
        let (which, rest) = word(rest);
        let edge = if which.eq_ignore_ascii_case("start") {
            PhaseEnd::Begin
        } else if which.eq_ignore_ascii_case("end") {
            PhaseEnd::End
        } else {
            return Err(unknown(which));
        };
        Ok(Self {
            edge,
            name: name(rest.trim())?,
        })
    }
}

/// The first word and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn unknown(word: &str) -> String {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let word = if plain {
        format!("unknown word {word}")
    } else {
        "a word is missing".to_owned()
    };
    format!("ompp: {word}; the marks are: phase start [name], phase end [name]")
}

fn name(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(UNNAMED.to_owned());
    }
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    let good = match quoted {
        Some(name) => {
            !name.is_empty() && !name.contains(|c: char| c.is_control() || "\"\\".contains(c))
        }
        None => text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b)),
    };
    if good {
        Ok(quoted.unwrap_or(text).to_owned())
    } else {
        Err("ompp: the name of a phase is one word, or stands between quotation marks".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_what_is_none() {
        let mark = |edge, name: &str| {
            Ok(PhaseMark {
                edge,
                name: name.to_owned(),
            })
        };
        assert_eq!(
            PhaseMark::parse(" phase start"),
            mark(PhaseEnd::Begin, "phase")
        );
        assert_eq!(
            PhaseMark::parse("PHASE\tEnd "),
            mark(PhaseEnd::End, "phase")
        );
        assert_eq!(
            PhaseMark::parse("phase start step-1"),
            mark(PhaseEnd::Begin, "step-1")
        );
        assert_eq!(
            PhaseMark::parse("phase end \"a 'b'\""),
            mark(PhaseEnd::End, "a 'b'")
        );
        for (wrong, part) in [
            ("", "missing"),
            ("phase", "missing"),
            ("region start", "unknown word region"),
            ("phase begin", "unknown word begin"),
            ("phase start two words", "name"),
            ("phase start \"", "name"),
            ("phase start \"\"", "name"),
            ("phase start \"a\\\"", "name"),
            ("phase \"x\"", "missing"),
        ] {
            let error = PhaseMark::parse(wrong).unwrap_err();
            assert!(
                error.contains(part) && !error.contains(['"', '\'']),
                "{wrong}: {error}"
            );
        }
    }
}
