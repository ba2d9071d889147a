//! Languages of source files, as far as advice differs: sentences are made for C and C++, and put into Fortran's words.

use std::path::Path;

/// Whether a file is one of Fortran, by its name as compilers take it.
pub(crate) fn is_fortran(file: &str) -> bool {
    is_fixed_form(file) || matches!(&*extension(file), "f90" | "f95" | "f03" | "f08" | "f18")
}

/// Whether a file is one of Fortran in fixed form, where columns count.
pub(crate) fn is_fixed_form(file: &str) -> bool {
    matches!(&*extension(file), "f" | "for" | "ftn" | "fpp" | "f77")
}

fn extension(file: &str) -> String {
    let extension = Path::new(file).extension().and_then(|e| e.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Whether a file is one of Rust, which has no OpenMP.
pub(crate) fn is_rust(file: &str) -> bool {
    file.ends_with(".rs")
}

/// A sentence about a loop in this file, with directives as its language writes them.
pub(crate) fn in_language_of(file: &str, text: String) -> String {
    match is_fortran(file) {
        true => in_fortran(&text),
        false => text,
    }
}

/// A sentence as Fortran has it.
pub(crate) fn in_fortran(text: &str) -> String {
    members(text)
        .replace("#pragma omp parallel for", "!$omp parallel do")
        .replace("#pragma omp cancel for", "!$omp cancel do")
        .replace("a reduction by `||`", "a reduction by `.or.`")
        .replace("#pragma omp", "!$omp")
        .replace("[:length]", "")
        .replace("[]`", "(...)`")
        .replace("`*", "`")
        .replace("`_FortranAAssign`", "the array assignment")
        .replace(
            "; or compare so that a NaN replaces nothing (`if (x < least) least = x`)",
            "",
        )
}

/// The text with members of variables in it, which stand in backticks, as Fortran selects them.
fn members(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '*' | '%');
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let part = part.replace("->", "%");
        match at % 2 == 1 && !part.starts_with('.') && part.chars().all(is_part) {
            true => part.replace('.', "%"),
            false => part,
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_rust() {
        assert!(is_rust("src/main.rs") && !is_rust("a.c"));
    }

    #[test]
    fn members_of_fortran() {
        let text =
            "`s.in.n` and `g->sum` by `*p`: `#pragma omp parallel for reduction(+:x)` in a.c";
        let written = "`s%in%n` and `g%sum` by `p`: `!$omp parallel do reduction(+:x)` in a.c";
        assert_eq!(in_fortran(text), written);
    }

    #[test]
    fn files_of_fortran() {
        for name in ["a.f90", "b.F90", "/x/c.f", "d.FOR", "e.f08"] {
            assert!(is_fortran(name), "{name}");
        }
        for name in ["a.c", "f90", "b.f90.c", "c.rs", ""] {
            assert!(!is_fortran(name), "{name}");
        }
    }

    #[test]
    fn sentences_are_those_of_the_language() {
        assert_eq!(
            in_fortran(
                "use `#pragma omp atomic` above, or `#pragma omp parallel for reduction(+:hist[:length])` for `hist[]`"
            ),
            "use `!$omp atomic` above, or `!$omp parallel do reduction(+:hist)` for `hist(...)`"
        );
    }
}
