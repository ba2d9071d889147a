//! What all SVG drawings share: the document around them with its background, light and dark colours, the widths of
//! texts, places for labels that cover no other, and axes with their round numbers.

mod axes;
mod axis;
pub(crate) mod colors;
mod labels;
#[cfg(feature = "png")]
mod png;
mod ticks;
mod width;

use std::fmt::Write;

pub(crate) use axes::{AXES_RULES, AXES_STYLE, Axes};
pub(crate) use axis::{Axis, Scale};
pub(crate) use labels::{Area, Labels};
#[cfg(feature = "png")]
pub use png::png;
pub(crate) use ticks::{round_down, round_up};
pub(crate) use width::{FontFace, fitting, fitting_name, text_width};

/// A colour on light and on dark ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Color {
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
}

/// A property of some elements that is another in the dark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DarkRule<'a>(
    pub(crate) &'a str,
    pub(crate) &'static str,
    pub(crate) Color,
);

/// The ground of drawings.
pub(crate) const PAPER: Color = Color {
    light: "#ffffff",
    dark: "#1b1b1b",
};
/// Text and outlines.
pub(crate) const INK: Color = Color {
    light: "#222222",
    dark: "#dddddd",
};
/// Text that is less important.
pub(crate) const QUIET: Color = Color {
    light: "#555555",
    dark: "#aaaaaa",
};
/// Lines at round numbers.
pub(crate) const GRID: Color = Color {
    light: "#dddddd",
    dark: "#383838",
};
/// Lines and marks of axes.
pub(crate) const AXIS: Color = Color {
    light: "#888888",
    dark: "#888888",
};

/// The beginning of an SVG document up to its background; `</svg>` ends it. The style is written twice, light and (in a
/// media query) dark, rather than with variables: programs that draw SVG outside of a browser (librsvg, resvg,
/// Inkscape) know none, and would paint black.
pub(crate) struct SvgDocument<'a> {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Title, escaped.
    pub(crate) title: &'a str,
    /// What is to be seen, escaped, for those who do not see it; may be empty.
    pub(crate) description: &'a str,
    /// Rules that are the same in light and dark.
    pub(crate) style: &'a str,
    /// Rules that are not. The background has the class `paper`.
    pub(crate) rules: &'a [DarkRule<'a>],
}

impl SvgDocument<'_> {
    pub(crate) fn open(&self) -> String {
        let (width, height, title) = (self.width, self.height, self.title);
        let (description, about) = if self.description.is_empty() {
            (String::new(), "title")
        } else {
            (
                format!("<desc id=\"desc\">{}</desc>\n", self.description),
                "title desc",
            )
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-labelledby=\"{about}\">\n\
             <title id=\"title\">{title}</title>\n{description}<style>{}{}</style>\n\
             <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
            self.style,
            themed(self.rules),
        )
    }
}

/// Rules for light, then for dark where the reader's system is dark.
pub(crate) fn themed(rules: &[DarkRule]) -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for DarkRule(selector, property, color) in rules {
        let _ = write!(light, "{selector}{{{property}:{}}}", color.light);
        let _ = write!(dark, "{selector}{{{property}:{}}}", color.dark);
    }
    format!("{light}@media(prefers-color-scheme:dark){{{dark}}}")
}
