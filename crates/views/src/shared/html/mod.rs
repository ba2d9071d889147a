//! HTML pages: one file each with everything in it, readable without a server or a network.
//!
//! A page is a template (`page.html` beside the module that fills it) that extends `base.html`: the head, with what
//! keeps the page from loading anything, and the frame. Values are escaped as [`escaped`] does it, but for those that
//! are [`markup`]. Data goes into a script block as JSON ([`data`]), and is shown with `textContent` only.

use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use serde::Serialize;

use crate::shared::style::escaped;

/// What every page begins with.
const BASE: &str = include_str!("base.html");
/// Style of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Script: the data of the page, elements, numbers.
pub(crate) const BASE_SCRIPT: &str = include_str!("base.js");
/// Script: light and dark.
pub(crate) const THEME_SCRIPT: &str = include_str!("theme.js");
/// Script: SVG elements, round numbers, the field beside the pointer.
pub(crate) const SVG_SCRIPT: &str = include_str!("svg.js");

/// What a document is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HtmlPage<'a> {
    /// The template; it extends `base.html`.
    pub(crate) template: &'static str,
    /// Title of the document.
    pub(crate) title: &'static str,
    /// Its style sheet.
    pub(crate) style: &'a str,
    /// Its script in pieces, in order; they share their names.
    pub(crate) script: &'a [&'a str],
}

impl HtmlPage<'_> {
    /// The document; `values` are what the template names besides.
    pub(crate) fn filled(&self, values: Value) -> String {
        // A function of its own keeps the names out of the page's global ones.
        let script = format!(
            "\"use strict\";\n(() => {{\n{}}})();\n",
            self.script.join("\n")
        );
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        templates.set_trim_blocks(true);
        templates.set_lstrip_blocks(true);
        templates.set_keep_trailing_newline(true);
        templates.set_auto_escape_callback(|_| AutoEscape::Html);
        templates.set_formatter(|out, _, value| match value.as_str() {
            Some(text) if !value.is_safe() => Ok(out.write_str(&escaped(text))?),
            Some(text) => Ok(out.write_str(text)?),
            None => Ok(write!(out, "{value}")?),
        });
        let filled = templates
            .add_template("base.html", BASE)
            .and_then(|()| templates.add_template("page.html", self.template))
            .and_then(|()| {
                templates.get_template("page.html")?.render(context!(
                    title => self.title,
                    style => markup(self.style),
                    script => markup(script),
                    ..values
                ))
            });
        filled.expect("templates are part of the program, and their values are plain data")
    }
}

/// What is markup, style or script already, and is not escaped.
pub(crate) fn markup(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

/// Data for a script block, as JSON that cannot end, or open, anything in HTML.
pub(crate) fn data(page: &impl Serialize) -> Value {
    let json = serde_json::to_string(page).expect("plain data becomes JSON");
    let mut safe = String::with_capacity(json.len() + json.len() / 64);
    let mut rest = json.as_str();
    while let Some(at) = rest.find(['<', '>', '&']) {
        safe.push_str(&rest[..at]);
        safe.push_str(match rest.as_bytes()[at] {
            b'<' => "\\u003c",
            b'>' => "\\u003e",
            _ => "\\u0026",
        });
        rest = &rest[at + 1..];
    }
    safe.push_str(rest);
    markup(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_markup_is_not() {
        let page = HtmlPage {
            template: "{% extends \"base.html\" %}{% block main %}<p>{{ name }}{{ number }}{{ mark }}</p>{% endblock %}",
            title: "<a & \"b\">",
            style: "a>b{}",
            script: &["x < 1;", "y;"],
        };
        let values =
            context!(name => "</p>'&\u{ffff}", number => 3, mark => markup("<b>&amp;</b>"));
        let html = page.filled(values);
        assert!(
            html.contains("<p>&lt;/p&gt;'&amp;\u{fffd}3<b>&amp;</b></p>"),
            "{html}"
        );
        assert!(html.contains("<title>&lt;a &amp; &quot;b&quot;&gt;</title>"));
        assert!(html.contains("<style>a>b{}</style>"));
        assert!(html.contains("<script>\"use strict\";\n(() => {\nx < 1;\ny;})();\n</script>"));
        assert!(html.starts_with("<!DOCTYPE html>\n") && html.ends_with("</html>\n"));
    }

    #[test]
    fn data_ends_no_script() {
        let data = data(&["</script>", "<!--", "a && b > c"]);
        assert_eq!(
            data.as_str(),
            Some(r#"["\u003c/script\u003e","\u003c!--","a \u0026\u0026 b \u003e c"]"#)
        );
    }
}
