//! Text for terminals and files that do not have UTF-8.

/// Text with ASCII in the place of the characters that views draw with, column for column, so that tables keep their
/// shape. Names from programs stay as they are.
pub(crate) fn in_ascii(text: &str) -> String {
    // Two columns: one is taken from the space between columns of a table.
    let text = text.replace("  ±", " +-").replace('±', "+-");
    text.chars().map(drawn).collect()
}

fn drawn(c: char) -> char {
    match c {
        // What is left out of a name, as patterns for files have it: `~` would be an estimate, or a destructor.
        '…' => '*',
        'µ' => 'u',
        '×' => 'x',
        '›' => '>',
        '•' => '.',
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
        let drawn = "name…  12.0%  ±0.4%\n│└─ ▁▄█ 3.0 µs ×2 größe";
        let text = "name*  12.0% +-0.4%\n|+- .:# 3.0 us x2 größe";
        assert_eq!(in_ascii(drawn), text);
        assert_eq!(in_ascii("~ or ± are"), "~ or +- are");
    }
}
