//! The arrows between boxes, each with its label.

use std::fmt::Write;

use super::boxes::LETTER;
use crate::phases::graph::{self, Arrow, ArrowRole};
use crate::phases::layout::Route;
use crate::shared::style::escaped;

/// Classes of an arrow's line and tip.
pub(super) fn look(role: ArrowRole) -> (&'static str, &'static str) {
    match role {
        ArrowRole::Onwards => ("edge", "tip"),
        ArrowRole::Returns => ("edge back", "backtip"),
        ArrowRole::Phases => ("edge back main", "backtip"),
    }
}

/// An arrow on its way, in front of what was drawn before.
pub(super) fn draw_arrow(body: &mut String, route: &Route, label: &str, arrow: &Arrow) {
    let (class, tip) = look(arrow.role);
    let points = &route.points;
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    if route.own {
        let [_, (right, middle), (x, y)] = points[..] else {
            return;
        };
        let _ = write!(
            path,
            "C{right:.1} {:.1} {right:.1} {middle:.1} {right:.1} {middle:.1}S{right:.1} {y:.1} {x:.1} {y:.1}",
            points[0].1
        );
    } else {
        for pair in points.windows(2) {
            let [(from, top), (x, y)] = [pair[0], pair[1]];
            let middle = f64::midpoint(top, y);
            let _ = write!(
                path,
                "C{from:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}"
            );
        }
    }
    let [.., before, (x, y)] = points[..] else {
        return;
    };
    let head = if route.own {
        format!("M{x:.1} {y:.1}l7 -4v8z")
    } else if before.1 < y {
        format!("M{x:.1} {y:.1}l-4 -7h8z")
    } else {
        format!("M{x:.1} {y:.1}l-4 7h8z")
    };
    let width = label.chars().count() as f64 * LETTER + 4.0;
    let _ = write!(
        body,
        "<g><title>{}</title><path class=\"{class}\" d=\"{path}\"/><path class=\"{tip}\" d=\"{head}\"/>\
         <rect class=\"pill\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"14\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
        escaped(&graph::about(arrow)),
        route.label.0 - width / 2.0,
        route.label.1 - 7.0,
        route.label.0,
        route.label.1 + 4.0,
        escaped(label)
    );
}
