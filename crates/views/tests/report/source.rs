//! The source view, and lines to write around loops.

use super::*;

#[test]
fn lines_stand_around_a_loop_with_and_without_its_source() {
    if browser::missing() {
        return;
    }
    let mut profile = profile("prog");
    let first = profile.regions.iter_mut().find(|r| r.fixed.line == 12);
    let first = &mut first.unwrap().fixed;
    first.broken = vec![BrokenDependence::new(
        "best",
        BrokenKind::Reduction(Operator::Max),
        13,
    )];
    let source = first.source.as_mut().unwrap();
    source.last_line = 17;
    source.best = vec![IndexedExtremum {
        value: BestValue::Variable("best".to_owned()),
        is_minimum: false,
        position: "at".to_owned(),
        others: Vec::new(),
    }];
    source.variables = vec![Variable {
        name: "at".to_owned(),
        line: 11,
        global: false,
        shape: VariableKind::Scalar,
        sharing: Sharing::Unknown(SharingDoubt::Conditional),
        at: 13,
    }];
    let known = self::source("prog");
    let unknown = Source {
        file: "synthetic.c".into(),
        text: Err("synthetic.c was not found".into()),
        changed: false,
    };
    for (source, between) in [
        (known, "for (int i = 0; i < 100; i++) {"),
        (unknown, "(lines 12 to 17)"),
    ] {
        let (_folder, path) = written(&[profile.clone()], &[source]);
        let mut page = Browser::new(1300, 900);
        page.open(&path);
        let text = page.text("document.querySelector('#entries li').innerText");
        let parts = [
            "#pragma omp for schedule(static) nowait",
            between,
            "#pragma omp critical",
        ];
        let places = parts.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
        assert!(places.is_sorted(), "{text}");
    }
}

/// Work by hand: function `n` begins at line 10 + 10n with 5 units of its own, its loop two lines later with 100
/// iterations of (400 - n) * 10 units, `main` at line 1 has 10: 10 + 400 * 5 + 1000 * (1 + ... + 400) = 80,202,010
/// units in all.
#[test]
fn a_line_has_the_work_of_what_begins_there() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    page.eval(
        "(code => { code.scrollIntoView(); code.scrollTop = 0; })(document.querySelector('#code'))",
    );
    page.settle();
    let mut own = |line: u32, what: &str| {
        page.text(&format!(
            "(cell => {what})(document.querySelector(\"#code-lines .row[data-line='{line}'] .own\"))"
        ))
    };
    // 10 of 80,202,010; 400,000 (0.499%); 398,000 (0.496%, 99.5% of the busiest line).
    assert_eq!(own(1, "cell.textContent"), "<0.1%");
    assert_eq!(own(12, "cell.textContent"), "0.5%");
    assert_eq!(own(12, "cell.querySelector('i').style.width"), "100%");
    assert_eq!(own(32, "cell.querySelector('i').style.width"), "99.5%");
    assert_eq!(own(13, "cell.textContent"), "", "nothing begins there");
    let title = own(12, "cell.title");
    for word in [
        "loop synthetic.c:12:",
        "0.5% itself",
        "self-parallelism 100",
        "DOALL",
    ] {
        assert!(title.contains(word), "{word}: {title}");
    }
    let note = page.text("document.querySelector('#own-note').textContent");
    assert_eq!(
        note,
        "Regions of this file do 100.0% of the program’s work themselves."
    );
    assert!(
        page.text("document.querySelector('#source').innerText")
            .contains("not of single lines")
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// A function of 300 own units and a loop of 500 begin in one line, a loop of 200 in another; 1,000 in all.
#[test]
fn regions_that_begin_in_one_line_are_added_up() {
    if browser::missing() {
        return;
    }
    let mut program = SyntheticProgram::new();
    let f = program.function("f", 5..=9);
    let (first, first_body) = program.add_loop(f, 5..=6);
    let (second, second_body) = program.add_loop(f, 7..=8);
    let looping = |region, body, times| node(region, 0, 100, [node(body, 10, 10, []).times(times)]);
    let inside = [
        looping(first, first_body, 50),
        looping(second, second_body, 20),
    ];
    let profile = program.build([node(f, 300, 500, inside)]);
    let (_folder, path) = written(&[profile], &[source("prog")]);
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    page.eval("document.querySelector('#code').scrollTop = 0");
    page.settle();
    let cells = page.eval("[...document.querySelectorAll('#code-lines .own')].filter(cell => cell.textContent).map(cell => [+cell.parentNode.dataset.line, cell.textContent, cell.querySelector('i').style.width, cell.title.split('\\n').length])");
    assert_eq!(
        cells,
        json!([[5, "80.0%", "100%", 2], [7, "20.0%", "25%", 1]])
    );
}
