//! Puts pragmas above their loops in the text of a source, the way a person would who trusts line and column.

/// A pragma and where the plan says that it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedPragma {
    /// Source file, as the plan names it.
    pub file: String,
    /// Line of the loop, from 1.
    pub line: u32,
    /// Column of the loop, from 1.
    pub column: u32,
    /// The lines to write.
    pub pragma: String,
    /// Lines to write behind the loop's last line, with its number.
    pub behind: Option<(u32, String)>,
}

/// The text with all pragmas in it, each on lines of its own directly above its `for`.
///
/// # Errors
/// At a place is no `for` statement, or it lies in a macro, where nothing can be pasted; says which.
pub fn paste(text: &str, pastes: &[&PastedPragma]) -> Result<String, String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let mut sorted = pastes.to_vec();
    sorted.sort_by_key(|p| std::cmp::Reverse((p.line, p.column)));
    for paste in sorted {
        let place = |what: &str| format!("line {} column {}: {what}", paste.line, paste.column);
        let index = (paste.line as usize)
            .checked_sub(1)
            .filter(|&i| i < lines.len())
            .ok_or_else(|| place("no such line"))?;
        let line = &lines[index];
        let continued = index > 0 && lines[index - 1].trim_end().ends_with('\\');
        if continued || line.trim_start().starts_with("#define") {
            return Err(place("the loop is in a macro"));
        }
        let column = (paste.column as usize)
            .checked_sub(1)
            .filter(|&c| line.is_char_boundary(c))
            .ok_or_else(|| place("no such column"))?;
        let (before, after) = line.split_at(column);
        let word = after
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        if word != Some("for") {
            return Err(place(&format!("no `for` there: `{}`", line.trim())));
        }
        let pasted = if before.trim().is_empty() {
            format!("{}\n{line}", paste.pragma)
        } else {
            format!("{before}\n{}\n{after}", paste.pragma)
        };
        lines[index] = pasted;
        if let Some((last, behind)) = &paste.behind {
            let last =
                (lines.get_mut(*last as usize - 1)).ok_or_else(|| place("it ends on no line"))?;
            *last = format!("{last}\n{behind}");
        }
    }
    Ok(lines.join("\n"))
}

impl PastedPragma {
    /// Name of the source file, without its folders.
    pub fn file_name(&self) -> String {
        let name = std::path::Path::new(&self.file).file_name();
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The pragma with `schedule(runtime)`, unless lines behind the loop count on the order of iterations.
    pub fn scheduled(&self) -> String {
        if self.behind.is_some() && self.pragma.contains("schedule(static)") {
            return self.pragma.clone();
        }
        scheduled(&self.pragma)
    }

    /// Whether the order of additions or multiplications may differ, so that floating results do.
    pub fn rounds(&self) -> bool {
        let behind = self.behind.iter();
        let mut lines = behind.flat_map(|(_, lines)| lines.lines());
        lines.any(|l| l.contains(" += ") || l.contains(" *= ")) || rounds(&self.pragma)
    }
}

/// The pragma with `schedule(runtime)` in place of any schedule of its own, so that a test can choose the order;
/// unchanged where `ordered` prescribes one, and where the directive schedules nothing.
fn scheduled(pragma: &str) -> String {
    let Some(line) = pragma
        .lines()
        .find(|l| l.contains("#pragma omp") && has_word(l, "for"))
    else {
        return pragma.to_owned();
    };
    if has_word(line, "ordered") {
        return pragma.to_owned();
    }
    let mut with = line.to_owned();
    if let Some(start) = with.find("schedule(") {
        let end = with[start..]
            .find(')')
            .map_or(with.len(), |e| start + e + 1);
        with.replace_range(start..end, "");
    }
    let with = format!("{} schedule(runtime)", with.trim_end());
    pragma.replace(line, &with)
}

/// Whether a directive contains a word.
pub fn has_word(pragma: &str, word: &str) -> bool {
    pragma
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|w| w == word)
}

/// Whether the order of additions or multiplications may differ under this pragma.
fn rounds(pragma: &str) -> bool {
    pragma.split("reduction(").skip(1).any(|clause| {
        let operator = clause.split(':').next().unwrap_or_default();
        // `reduction(task, +: x)` has its operator last; a user's own may do anything.
        let operator = operator.rsplit(',').next().unwrap_or_default().trim();
        !matches!(operator, "min" | "max" | "&" | "|" | "^" | "&&" | "||")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> PastedPragma {
        PastedPragma {
            file: "x.c".into(),
            line,
            column,
            pragma: "#pragma omp parallel for".into(),
            behind: None,
        }
    }

    #[test]
    fn a_pragma_goes_above_its_loop_and_between_two_on_a_line() {
        let text = "{\n  for (a) for (b) x;\n}";
        let (first, second) = (at(2, 3), at(2, 11));
        assert_eq!(
            paste(text, &[&first]).unwrap(),
            "{\n#pragma omp parallel for\n  for (a) for (b) x;\n}"
        );
        assert_eq!(
            paste(text, &[&first, &second]).unwrap(),
            "{\n#pragma omp parallel for\n  for (a) \n#pragma omp parallel for\nfor (b) x;\n}"
        );
    }

    #[test]
    fn lines_go_behind_a_loop_too() {
        let around = PastedPragma {
            pragma: "{\n#pragma omp for".into(),
            behind: Some((3, "}".into())),
            ..at(2, 1)
        };
        assert_eq!(
            paste("x;\nfor (a) {\n}\ny;", &[&around]).unwrap(),
            "x;\n{\n#pragma omp for\nfor (a) {\n}\n}\ny;"
        );
    }

    #[test]
    fn places_that_are_no_for_are_refused() {
        assert!(paste("while (1);", &[&at(1, 1)]).is_err());
        assert!(paste("forest();", &[&at(1, 1)]).is_err());
        assert!(paste("for (;;);", &[&at(1, 0)]).is_err());
        assert!(paste("for (;;);", &[&at(2, 1)]).is_err());
        assert!(paste("#define L \\\nfor (;;);", &[&at(2, 1)]).is_err());
    }

    #[test]
    fn the_schedule_is_replaced_unless_ordered() {
        assert_eq!(
            scheduled("#pragma omp parallel for schedule(static, 4) private(j)"),
            "#pragma omp parallel for  private(j) schedule(runtime)"
        );
        let ordered = "#pragma omp parallel for ordered(1)";
        assert_eq!(scheduled(ordered), ordered);
    }

    #[test]
    fn only_sums_and_products_round() {
        assert!(rounds("#pragma omp parallel for reduction(+:s)"));
        assert!(rounds(
            "#pragma omp parallel for reduction(max:m) reduction(*: p)"
        ));
        assert!(!rounds("#pragma omp parallel for reduction(max:m)"));
        assert!(!rounds("#pragma omp parallel for"));
    }
}
