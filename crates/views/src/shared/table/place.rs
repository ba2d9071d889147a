//! Places in the source, shortened to where they are.

use unicode_width::UnicodeWidthStr;

use crate::shared::style::shorten;

/// `folder/file.c:3-10 (column 7)` in at most `columns` columns. What goes, in this order: what stands behind the
/// lines, folders, the last line, the middle of the file's name. The first line stays as long as there is room for it.
pub(super) fn shortened(place: &str, columns: usize) -> String {
    let fits = |text: &str| text.width() <= columns;
    let Some((file, lines, _)) = parts(place) else {
        return shorten(place, columns);
    };
    let without = |file: &str, lines: &str| format!("{file}:{lines}");
    let bare = without(file, lines);
    if fits(&bare) {
        return bare;
    }
    let base = file.rsplit('/').next().unwrap_or(file);
    if base.len() < file.len() && !base.is_empty() {
        let text = without(&format!("…/{base}"), lines);
        if fits(&text) {
            return text;
        }
    }
    let text = without(base, lines);
    if fits(&text) {
        return text;
    }
    let first = lines.split('-').next().unwrap_or(lines);
    let text = without(base, first);
    if fits(&text) {
        return text;
    }
    match columns.checked_sub(first.width() + 1) {
        Some(room @ 3..) => without(&shorten(base, room), first),
        _ => shorten(&text, columns),
    }
}

/// File, lines, and what stands behind them; none of what is no place.
fn parts(place: &str) -> Option<(&str, &str, &str)> {
    let end = place.find(" (").unwrap_or(place.len());
    let (head, rest) = place.split_at(end);
    let (file, lines) = head.rsplit_once(':')?;
    let is_line = |c: char| c.is_ascii_digit() || c == '-' || c == '?';
    (!file.is_empty() && !lines.is_empty() && lines.chars().all(is_line))
        .then_some((file, lines, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn file_and_line_stay() {
        let of = |columns| shortened("bench/drivers/meshopt.cc:35-71 (column 3)", columns);
        for (columns, text) in [
            (30, "bench/drivers/meshopt.cc:35-71"),
            (29, "…/meshopt.cc:35-71"),
            (18, "…/meshopt.cc:35-71"),
            (17, "meshopt.cc:35-71"),
            (15, "meshopt.cc:35"),
            (12, "mesh…t.cc:35"),
            (6, "m…c:35"),
            (4, "me…5"),
        ] {
            assert_eq!(of(columns), text, "{columns}");
        }
        assert_eq!(shortened("no place at all", 7), "no …all");
        assert_eq!(shortened("svm.cpp:?", 8), "svm…pp:?");
    }

    proptest! {
        #[test]
        fn a_place_fits(place in "[ -~é漢]{0,40}(:[0-9]{1,4}(-[0-9]{1,4})?)?", columns in 1usize..50) {
            prop_assert!(place.width() <= columns || shortened(&place, columns).width() <= columns);
        }
    }
}
