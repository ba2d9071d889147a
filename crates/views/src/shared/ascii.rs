//! Text for terminals and files that do not have UTF-8.

use unicode_width::UnicodeWidthStr;

/// Text with ASCII in the place of the characters that views draw with: column for column, but for what is left out of
/// names, which tables fit in again ([`fitted`]). Names from programs stay as they are.
pub(crate) fn in_ascii(text: &str) -> String {
    // Two columns: one is taken from the space between columns of a table.
    let text = text.replace("  ±", " +-").replace('±', "+-");
    // What is left out of a name: `~` would be an estimate or a destructor, `*` a pointer.
    text.replace('…', "..").chars().map(drawn).collect()
}

/// In at most `columns` columns of ASCII what `shortened` makes of a text for a number of columns: signs for what is
/// left out take two columns here.
pub(crate) fn fitted(columns: usize, shortened: impl Fn(usize) -> String) -> String {
    let fits = (0..=columns).rev().map(|room| in_ascii(&shortened(room)));
    let mut fits = fits.filter(|text| text.width() <= columns);
    fits.next().unwrap_or_default()
}

fn drawn(c: char) -> char {
    match c {
        'µ' => 'u',
        '×' => 'x',
        '›' => '>',
        '•' => '.',
        '†' => '+',
        '─' => '-',
        '│' | '┤' => '|',
        '┌' | '┐' | '└' | '├' | '╥' => '+',
        '▁' | '▂' => '.',
        '▃' | '▄' | '▅' => ':',
        '▆' | '▇' | '█' => '#',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_where_they_are() {
        let drawn = "name…  12.0%  ±0.4%\n│└─ ▁▄█ 3.0 µs ×2 größe 9†";
        let text = "name..  12.0% +-0.4%\n|+- .:# 3.0 us x2 größe 9+";
        assert_eq!(in_ascii(drawn), text);
        assert_eq!(in_ascii("~ or ± are"), "~ or +- are");
    }

    #[test]
    fn shortened_names_fit() {
        let shortened = |room| crate::shared::style::shorten("xmm0, xmmword ptr [rsi]", room);
        assert_eq!(fitted(7, shortened), "xmm..i]");
        assert_eq!(fitted(40, shortened), "xmm0, xmmword ptr [rsi]");
        assert_eq!(fitted(1, shortened), "");
    }
}
