//! What holds for every drawing.

/// The drawing of this name is XML, and all its numbers are numbers.
pub fn well_formed(name: &str, svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => break,
            Ok(_) => {}
            Err(error) => panic!("{name}: {error}: {svg}"),
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
}
