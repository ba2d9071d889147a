//! Tables at all widths.

use proptest::prelude::*;

use super::*;

const COLUMNS: [Column<'_>; 6] = [
    place("Where"),
    function("Function").goes(1),
    name("Kind", 8),
    number("Coverage"),
    bars().goes(3),
    number("Work").goes(4),
];

fn rows() -> Vec<Vec<Cell>> {
    rows_in(&Style::plain(80))
}

/// The same with bars of this style.
fn rows_in(style: &Style) -> Vec<Vec<Cell>> {
    let row = |place: &str, function: &str, kind: &str, share: f64, work: &str| {
        let share_of = crate::shared::style::percent(share);
        let brief = kind.replace(", reduction", " red.");
        let kind = Cell::from(kind.to_owned())
            .or(brief)
            .toned(Some(TextTone::Parallel));
        let texts = [place, function].map(|text| Cell::from(text.to_owned()));
        let mut row: Vec<Cell> = texts.into();
        row.extend([
            kind,
            share_of.into(),
            bar(share, style).into(),
            work.to_owned().into(),
        ]);
        row
    };
    vec![
        row(
            "src/solver/kernel.cpp:120-141",
            "std::vector<int>::push_back",
            "DOALL, reduction",
            0.7,
            "12,345",
        ),
        row("main.c:3", "main", "serial", 0.001, ""),
    ]
}

fn at(width: usize) -> String {
    layout(&COLUMNS, rows(), &Style::plain(width))
}

#[test]
fn where_there_is_room_nothing_is_missing() {
    assert_eq!(
        at(100),
        "\
Where                          Function                     Kind              Coverage         Work
src/solver/kernel.cpp:120-141  std::vector<int>::push_back  DOALL, reduction     70.0% ███▌  12,345
main.c:3                       main                         serial                0.1% ▏
"
    );
}

#[test]
fn extras_go_before_names_are_hard_to_read() {
    assert_eq!(
        at(68),
        "\
Where                 Function      Kind              Coverage
…/kernel.cpp:120-141  …::push_back  DOALL, reduction     70.0% ███▌
main.c:3              main          serial                0.1% ▏
Not shown: Work (a terminal of 77 columns, COLUMNS=77 in pipes, or
  --format csv).
"
    );
}

#[test]
fn what_matters_most_stays() {
    assert_eq!(
        at(40),
        "\
Where               Kind        Coverage
kernel.cpp:120-141  DOALL red.     70.0%
main.c:3            serial          0.1%
Not shown: Function, Work (a terminal of
  77 columns, COLUMNS=77 in pipes, or
  --format csv).
"
    );
}

#[test]
fn colours_are_those_of_the_text_alone() {
    let style = Style {
        color: true,
        ..Style::plain(100)
    };
    let text = layout(&COLUMNS, rows(), &style);
    assert!(
        text.contains("\u{1b}[32mDOALL, reduction\u{1b}[0m "),
        "{text:?}"
    );
    assert!(!at(100).contains('\u{1b}'));
}

/// Any cells at all: what is shown of a row is one line, and no line is wider than the terminal.
fn cells() -> impl Strategy<Value = Vec<(String, String, String, u64)>> {
    let text = "[a-z:<>/ ,()漢é]{0,50}";
    proptest::collection::vec((text, text, text, 0..1_000_000_000u64), 0..6)
}

proptest! {
    #[test]
    fn a_row_is_a_line_and_fits(cells in cells(), width in 24usize..200, goes in proptest::array::uniform4(0u8..8)) {
        let columns = [
            place("Where").goes(goes[0].min(3)),
            function("Function").goes(goes[1]),
            name("Kind", 9).goes(goes[2]),
            number("Work").goes(goes[3]),
        ];
        let row = |(a, b, c, d): &(String, String, String, u64)| -> Vec<Cell> {
            let number = crate::shared::style::grouped(*d);
            [a, b, c].map(|text| Cell::from(text.clone())).into_iter().chain([number.into()]).collect()
        };
        let style = Style::plain(width);
        let table = |width| layout(&columns, cells.iter().map(row).collect(), &Style::plain(width));
        let text = table(width);
        for line in text.lines() {
            prop_assert!(line.width() <= style.columns(), "{} columns: {:?}", width, line);
        }
        let lines = text.lines().take_while(|line| !line.starts_with("Not shown:"));
        prop_assert_eq!(lines.count(), cells.len() + 1);
        // So wide it has all columns.
        if let Some((_, rest)) = text.split_once("COLUMNS=") {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
            let enough: usize = digits.unwrap_or_default().parse().unwrap();
            prop_assert!(enough > width && !table(enough).contains("Not shown"), "{:?}", text);
        }
        // From 40 columns on those are there that may not go, and numbers are whole.
        let heading = text.lines().next().unwrap_or_default().to_owned();
        if width >= 40 {
            for column in columns.iter().filter(|column| column.goes == 0) {
                prop_assert!(heading.contains(column.title), "{:?}", text);
            }
        }
        if heading.contains("Work") {
            for (_, _, _, work) in &cells {
                prop_assert!(text.contains(&crate::shared::style::grouped(*work)), "{:?}", text);
            }
        }
        // Every column is in the table, or named below it.
        for column in &columns {
            prop_assert!(text.contains(column.title), "{:?}", text);
        }
    }
}

/// Signs for what is left out take two columns in ASCII: columns stay where they are all the same.
#[test]
fn columns_fit_in_ascii() {
    for width in [24, 40, 60, 80] {
        let style = Style {
            utf8: false,
            ..Style::plain(width)
        };
        let text = style.lay_out(|style| layout(&COLUMNS, rows_in(style), style));
        assert!(text.is_ascii(), "{text}");
        assert!(text.lines().all(|line| line.len() <= width), "{text}");
        if width == 60 {
            let row = "\nkernel.cpp:120-141  ..::push_back  DOALL red.     70.0% ";
            assert!(text.contains(row), "{text}");
        }
    }
}
