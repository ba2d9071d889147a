//! The table of regions.

use super::*;

#[test]
fn the_table_sorts_filters_and_scrolls() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let regions = 2 * FUNCTIONS + 1;
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("{regions} regions")
    );
    // Only what can be seen is in the document.
    assert!(column(&mut page, 0).len() < 60);
    assert_eq!(column(&mut page, 6)[0], "100.0%");
    page.click("#grid thead th:nth-child(7) button");
    assert_eq!(
        page.text("document.querySelector('#grid th[aria-sort]').getAttribute('aria-sort')"),
        "ascending"
    );
    assert_eq!(column(&mut page, 6)[0], "0.0%");
    page.click("#grid thead th:nth-child(3) button");
    let names = column(&mut page, 2);
    assert!(
        names[0] == "function_1" && names[2] == "function_2",
        "{names:?}"
    );
    page.eval("document.querySelector('#grid').scrollTop = 1e9");
    page.settle();
    assert_eq!(column(&mut page, 2).last().unwrap(), "prog");
    page.click("#words");
    page.write("function_123 doall");
    assert_eq!(column(&mut page, 2), [""; 0]);
    assert!(
        page.text("document.querySelector('#grid').innerText")
            .contains("No region matches")
    );
    page.eval("document.querySelector('#words').value = ''");
    page.click("#words");
    page.write("function_121 DOALL");
    assert_eq!(column(&mut page, 2), ["function_121"]);
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("1 of {regions} regions")
    );
    page.eval("document.querySelector('#words').value = ''");
    page.click("#planned");
    let planned = page.eval("document.querySelector('#data').read.plan.entries.length");
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("{planned} of {regions} regions")
    );
    assert_eq!(page.complaints(), [""; 0]);
}
