//! How wide texts are, so that drawings know where there is room without asking a browser.

use unicode_width::UnicodeWidthChar;

use crate::shared::{names, style};

/// The font of drawings, in which the PNG is drawn; browsers without it take another sans-serif, most of which are
/// narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FontFace {
    Regular,
    Bold,
}

/// Units of the tables in one em.
const EM: f64 = 2048.0;
/// What a column of any other character counts: nothing in either face is wider.
const WIDEST: u16 = 2260;

/// Advances of DejaVu Sans from space to `~` (its `hmtx` table).
const REGULAR: [u16; 95] = [
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048,
    1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235,
    1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024,
    1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300,
    1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
];
/// The same of DejaVu Sans Bold.
const BOLD: [u16; 95] = [
    713, 934, 1067, 1716, 1425, 2052, 1786, 627, 936, 936, 1071, 1716, 778, 850, 778, 748, 1425,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819, 819, 1716, 1716, 1716, 1188, 2048,
    1585, 1561, 1503, 1700, 1399, 1399, 1681, 1714, 762, 762, 1587, 1305, 2038, 1714, 1741, 1501,
    1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579, 1483, 1485, 936, 748, 936, 1716, 1024, 1024,
    1382, 1466, 1214, 1466, 1389, 891, 1466, 1458, 702, 702, 1362, 702, 2134, 1458, 1407, 1466,
    1466, 1010, 1219, 979, 1458, 1335, 1892, 1321, 1335, 1192, 1458, 748, 1458, 1716,
];

/// Width of a text of this size (in pixels), exact for ASCII, otherwise on the wide side.
pub(crate) fn text_width(text: &str, size: f64, face: FontFace) -> f64 {
    text.chars().map(|c| advance(c, face)).sum::<f64>() * size
}

/// In ems.
fn advance(c: char, face: FontFace) -> f64 {
    let table = match face {
        FontFace::Regular => &REGULAR,
        FontFace::Bold => &BOLD,
    };
    let known = (c as usize).checked_sub(0x20).and_then(|n| table.get(n));
    let units = match (known, c) {
        (Some(&units), _) => units,
        (None, '×') => 1716,
        (None, '›') => 844,
        (None, '•') => 1309,
        _ => WIDEST * c.width().unwrap_or(1).max(1) as u16,
    };
    f64::from(units) / EM
}

/// The text if it is at most so wide, else with its middle left out; none where not even three characters have room.
pub(crate) fn fitting(text: &str, size: f64, face: FontFace, room: f64) -> Option<String> {
    fitting_as(style::shorten, text, size, face, room)
}

/// The same of a function's name, which loses arguments of templates and outer scopes first.
pub(crate) fn fitting_name(name: &str, size: f64, face: FontFace, room: f64) -> Option<String> {
    fitting_as(names::fitted, name, size, face, room)
}

fn fitting_as(
    shorten: fn(&str, usize) -> String,
    text: &str,
    size: f64,
    face: FontFace,
    room: f64,
) -> Option<String> {
    if text_width(text, size, face) <= room {
        return Some(text.to_owned());
    }
    (3..text.chars().count())
        .rev()
        .map(|columns| shorten(text, columns))
        .find(|short| text_width(short, size, face) <= room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // 1401 + 1405 units of 2048 at 12 pixels.
        assert!((text_width("AB", 12.0, FontFace::Regular) - 16.441).abs() < 0.001);
        assert!(text_width("W", 12.0, FontFace::Bold) > text_width("W", 12.0, FontFace::Regular));
        assert_eq!(text_width("", 12.0, FontFace::Bold), 0.0);
    }

    #[test]
    fn what_does_not_fit_loses_its_middle() {
        let short = fitting("a_long_function_name", 12.0, FontFace::Regular, 80.0).unwrap();
        assert!(short.contains('…') && text_width(&short, 12.0, FontFace::Regular) <= 80.0);
        assert_eq!(
            fitting("main", 12.0, FontFace::Regular, 80.0).unwrap(),
            "main"
        );
        assert_eq!(fitting("main", 12.0, FontFace::Regular, 5.0), None);
    }
}
