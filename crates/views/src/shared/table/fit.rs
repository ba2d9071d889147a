//! Which columns of a table there is room for, and how wide they are.

use unicode_width::UnicodeWidthStr;

use super::{Column, ColumnContent, EXTRA};

/// Narrower than that no name says anything; columns go instead, even those that stay otherwise.
const FLOOR: usize = 6;

/// The columns that are shown, from left to right. `natural` is what each takes where there is room for all.
///
/// First the columns that may go do so, from the least important one on, until what is left fits with names as short as
/// they may be: extras until they fit with names that are easy to read. Where it does not, names get shorter than that,
/// and at last columns go from the right on until one is left.
pub(super) fn kept(columns: &[Column], natural: &[usize], width: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let easy = leasts(columns, natural, |column| column.easy);
    let least = leasts(columns, natural, |column| column.least);
    for (order, least) in [(EXTRA, &easy), (1, &least)] {
        while total(columns, &kept, least) > width {
            let may_go = kept.iter().copied().filter(|&at| columns[at].goes >= order);
            let Some(next) = may_go.max_by_key(|&at| (columns[at].goes, at)) else {
                break;
            };
            drop_column(columns, &mut kept, next);
        }
    }
    if total(columns, &kept, &least) > width {
        let floors = floors(columns, natural);
        while kept.len() > 1 && total(columns, &kept, &floors) > width {
            kept.pop();
        }
    }
    kept
}

/// How wide the columns are that are shown: the widest name gives way first.
pub(super) fn widths(
    columns: &[Column],
    kept: &[usize],
    natural: &[usize],
    width: usize,
) -> Vec<usize> {
    let mut least = leasts(columns, natural, |column| column.least);
    if total(columns, kept, &least) > width {
        least = floors(columns, natural);
    }
    // A column that is alone has the width that there is.
    if let [only] = kept[..] {
        least[only] = least[only].min(width);
    }
    let mut widths = natural.to_vec();
    let mut excess = total(columns, kept, &widths).saturating_sub(width);
    while excess > 0 {
        let gives = kept.iter().copied().filter(|&at| widths[at] > least[at]);
        let Some(widest) = gives.max_by_key(|&at| widths[at]) else {
            break;
        };
        widths[widest] -= 1;
        excess -= 1;
    }
    widths
}

/// Columns that a terminal needs for all columns to be there.
pub(super) fn least(columns: &[Column], natural: &[usize]) -> usize {
    let all: Vec<usize> = (0..columns.len()).collect();
    let of = |width: fn(&Column) -> usize| total(columns, &all, &leasts(columns, natural, width));
    match columns.iter().any(|column| column.goes >= EXTRA) {
        true => of(|column| column.easy),
        false => of(|column| column.least),
    }
}

/// How far each column may be shortened: to its own width for that, but no further than its title.
fn leasts(columns: &[Column], natural: &[usize], own: fn(&Column) -> usize) -> Vec<usize> {
    let least = |(column, &natural): (&Column, &usize)| match column.holds {
        ColumnContent::Number | ColumnContent::Bar => natural,
        _ => natural.min(own(column).max(column.title.width())),
    };
    columns.iter().zip(natural).map(least).collect()
}

/// How far each column may be shortened where there is no other way.
fn floors(columns: &[Column], natural: &[usize]) -> Vec<usize> {
    let floor = |(column, &natural): (&Column, &usize)| match column.holds {
        ColumnContent::Number | ColumnContent::Bar => natural,
        _ => natural.min(FLOOR.max(column.title.width())),
    };
    columns.iter().zip(natural).map(floor).collect()
}

/// Takes a column out, with the bars that belong to it.
fn drop_column(columns: &[Column], kept: &mut Vec<usize>, gone: usize) {
    let bars = columns
        .get(gone + 1)
        .is_some_and(|c| c.holds == ColumnContent::Bar);
    kept.retain(|&at| at != gone && !(bars && at == gone + 1));
}

/// What these columns take, with what is between them.
pub(super) fn total(columns: &[Column], kept: &[usize], widths: &[usize]) -> usize {
    let gaps = kept.iter().skip(1).map(|&at| columns[at].gap());
    kept.iter().map(|&at| widths[at]).sum::<usize>() + gaps.sum::<usize>()
}
