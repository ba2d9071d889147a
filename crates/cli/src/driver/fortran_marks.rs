//! Marks in Fortran: the comments `!$ompp phase start [name]` and `!$ompp phase end [name]` become blocks that call the
//! collector, if there is one.

use super::mark::{PhaseEnd, PhaseMark};

/// The source form of a Fortran file: fixed or free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Comments begin anywhere, with `!`.
    Free,
    /// Comments begin in the first column, with `!`, `c` or `*`.
    Fixed,
}

/// A mark that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct MarkError {
    /// Number of the line in its file, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The source with its marks translated, and with markers by which the compiler calls its lines those of `file`; `None`
/// if there are no marks.
///
/// # Errors
/// The first mark that is wrong.
pub fn translate(source: &[u8], form: Form, file: &[u8]) -> Result<Option<Vec<u8>>, MarkError> {
    // Every byte as a character: whatever the encoding is, what is not a mark keeps its bytes.
    let source: String = source.iter().map(|&b| char::from(b)).collect();
    let file: String = file.iter().map(|&b| char::from(b)).collect();
    let mut out = format!("# 1 \"{file}\"\n");
    let mut marked = false;
    for (number, line) in (1..).zip(source.split_inclusive('\n')) {
        let Some(words) = sentinel(line, form) else {
            out.push_str(line);
            continue;
        };
        let mark = PhaseMark::parse(words).map_err(|message| MarkError {
            line: number,
            message,
        })?;
        marked = true;
        out.push_str(&block(&mark));
        out.push_str(&format!("# {} \"{file}\"\n", number + 1));
    }
    let bytes = out.chars().map(|c| u8::try_from(c).unwrap_or(b'?'));
    Ok(marked.then(|| bytes.collect()))
}

/// What stands behind `!$ompp`, without a comment.
fn sentinel(line: &str, form: Form) -> Option<&str> {
    let line = line.trim_end();
    let line = match form {
        Form::Free => line.trim_start().strip_prefix('!')?,
        Form::Fixed => line.strip_prefix(['!', 'c', 'C', '*'])?,
    };
    let (head, words) = line.split_at_checked("$ompp".len())?;
    if !head.eq_ignore_ascii_case("$ompp")
        || words.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    {
        return None;
    }
    let quoted = |at: usize| words[..at].matches('"').count() % 2 == 1;
    let comment = words.match_indices('!').find(|(at, _)| !quoted(*at));
    Some(comment.map_or(words, |(at, _)| &words[..at]))
}

/// Valid in both forms, and with `implicit none`: a lookup of the collector's function and its call. As in
/// `include/parascan.f90`, but nothing of it has to be compiled and linked with the program.
fn block(mark: &PhaseMark) -> String {
    let edge = match mark.edge {
        PhaseEnd::Begin => "begin",
        PhaseEnd::End => "end",
    };
    // A line of fixed form ends with column 72. A character of several bytes stays in one part.
    let mut parts = vec![String::new()];
    for c in mark.name.chars() {
        if parts.last().is_some_and(|p| p.len() >= 20) && !('\u{80}'..'\u{c0}').contains(&c) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
            // Doubled inside of a literal.
            part.extend((c == '\'').then_some(c));
        }
    }
    let name: Vec<String> = parts.iter().map(|part| format!("'{part}'")).collect();
    let name = name.join("                                         &\n     & // ");
    format!(
        "      block
      use, intrinsic :: iso_c_binding
      interface
      function parascan_find(h, s) bind(c, name='dlsym')
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: h
      character(kind=c_char), intent(in) :: s(*)
      type(c_funptr) :: parascan_find
      end function
      end interface
      abstract interface
      subroutine parascan_call(n) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: n(*)
      end subroutine
      end interface
      type(c_funptr) :: parascan_found
      procedure(parascan_call), pointer :: parascan_mark
      parascan_found = parascan_find(c_null_ptr,                        &
     & '__parascan_phase_{edge}' // c_null_char)
      if (c_associated(parascan_found)) then
      call c_f_procpointer(parascan_found, parascan_mark)
      call parascan_mark(                                               &
     & {name}                                                           &
     & // c_null_char)
      end if
      end block
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(source: &str, form: Form) -> Result<Option<String>, MarkError> {
        let text = translate(source.as_bytes(), form, b"x.f")?;
        Ok(text.map(|t| String::from_utf8(t).unwrap()))
    }

    #[test]
    fn comments_become_blocks() {
        for (form, line) in [
            (Form::Free, "  !$ompp phase start \"it's ! step\" ! x"),
            (Form::Fixed, "C$OMPP PHASE START \"it's ! step\""),
        ] {
            let source = format!("a\n{line}\nb\n");
            let text = translated(&source, form).unwrap().unwrap();
            assert!(text.starts_with("# 1 \"x.f\"\na\n      block\n"), "{text}");
            assert!(
                text.ends_with("      end block\n# 3 \"x.f\"\nb\n"),
                "{text}"
            );
            assert!(text.contains("'__parascan_phase_begin'"));
            assert!(text.contains("'it''s ! step'"), "{text}");
        }
    }

    #[test]
    fn lines_fit_into_fixed_form() {
        let source = format!("!$ompp phase end \"{}\"", "'é".repeat(90));
        let text = translated(&source, Form::Fixed).unwrap().unwrap();
        let code = text.lines().map(|l| l.trim_end_matches('&').trim_end());
        assert!(
            code.map(|l| l.chars().count()).max().unwrap() <= 72,
            "{text}"
        );
    }

    #[test]
    fn other_lines_stay() {
        for (form, line) in [
            (Form::Free, "!$omp parallel\n"),
            (Form::Free, "!$omppx\n"),
            (Form::Free, "x = 1 !$ompp phase start\n"),
            (Form::Free, "c$ompp phase start\n"),
            (Form::Fixed, " !$ompp phase start\n"),
            (Form::Fixed, "!é\n"),
        ] {
            assert_eq!(translated(line, form), Ok(None), "{line}");
        }
        let wrong = translated("a\n!$ompp faze start", Form::Free).unwrap_err();
        assert_eq!(wrong.line, 2);
    }
}
