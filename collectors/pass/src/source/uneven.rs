//! Loops whose iterations grow or shrink along the loop, because a loop inside begins or ends at their index
//! (`for (j = i + 1; j < n; j++)`): in equal parts one thread has most of the work.

use super::file::SourceText;
use super::text;
use super::within::LoopInFunction;
use super::words::mentions;

/// Whether the header of a loop inside names this loop's index either where it begins or in its test, but not in both,
/// as loops over tiles do (`for (j = i; j < i + 16; j++)`), and not in a subscript.
pub(super) fn uneven(place: &LoopInFunction<'_>, source: &SourceText, index: Option<&str>) -> bool {
    let Some(index) = index else { return false };
    let inside = place.function.loops.iter();
    let inside = inside.filter(|l| place.within[l.header] && l.header != place.l.header);
    let mut headers = inside.filter(|l| l.file == place.l.file).filter_map(|l| {
        let statement = text::at(source, l.line, l.column, l.end)?;
        let own = statement.index.as_deref() != Some(index);
        let begins = source.position(l.line, l.column)?;
        source.plain.get(begins..statement.body).filter(|_| own)
    });
    headers.any(|header| depends(header, index))
}

/// The same of a header's text.
fn depends(header: &str, index: &str) -> bool {
    let bare = without_subscripts(header);
    let [start, test, _] = bare.split(';').collect::<Vec<_>>()[..] else {
        return false;
    };
    mentions(start, index) != mentions(test, index)
}

/// A text without what stands in square brackets.
fn without_subscripts(text: &str) -> String {
    let mut depth = 0u32;
    let outside = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::depends;

    #[test]
    fn one_end_of_an_inner_loop_that_moves_makes_iterations_uneven() {
        for (header, uneven) in [
            ("for (int j = i + 1; j < n; j++)", true),
            ("for (j = 0; j <= i; j++) {", true),
            ("for (int j = 0; j < n; j++)", false),
            ("for (int j = i; j < i + 16; j++)", false),
            ("for (int j = row[i]; j < n; j++)", false),
            ("for (int j = row[i]; j < row[i + 1]; j++)", false),
            ("for (int x : all)", false),
            ("while (j < i)", false),
            ("for (int j = ii; j < n; j++)", false),
        ] {
            assert_eq!(depends(header, "i"), uneven, "{header}");
        }
    }
}
