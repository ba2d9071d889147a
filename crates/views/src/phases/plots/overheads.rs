//! The four classes of overheads over time, stacked.

use std::fmt::Write;

use parascan_analysis::phases::Phases;
use parascan_formats::omp::OverheadClass;

use super::spans::{PlotSpan, spans, within};
use super::timeline::{AREA, HEIGHT, Timeline, heading};
use super::{COLUMNS, Plot};
use crate::phases::words;
use crate::shared::svg::round_up;

/// What is lost in a node and everything inside (0: in the whole program), in per cent of the time of all threads.
pub(in crate::phases) fn overheads(result: &Phases, node: usize) -> Plot {
    let of = if node == 0 {
        words::program(result)
    } else {
        words::node(result, node)
    };
    let title = format!("Overheads of {of} over time");
    let columns = spans(result, COLUMNS);
    let stacks: Vec<[f64; 4]> = columns
        .iter()
        .map(|column| lost(result, column, node))
        .collect();
    let most = stacks.iter().map(|s| s.iter().sum()).fold(0.0, f64::max);
    let time = Timeline::new(
        result,
        round_up(most).clamp(1.0, 100.0),
        "lost time of all threads, %",
    );
    let mut body = heading(&title);
    time.draw(&mut body);
    legend(&mut body);
    for class in OverheadClass::ALL {
        let path = layer(&time, &columns, &stacks, class as usize);
        let _ = write!(body, "<path class=\"c{}\" d=\"{path}\"/>", class as usize);
    }
    time.mark(result, &columns, &mut body);
    time.hits(result, &columns, &mut body, |column| {
        let stack = &stacks[column];
        OverheadClass::ALL
            .iter()
            .map(|&class| format!("{} {:.1}%", words::class(class), stack[class as usize]))
            .collect::<Vec<_>>()
            .join("\n")
    });
    Plot {
        height: HEIGHT,
        title,
        body,
    }
}

/// Shares of the time of all threads that each class takes in a column, in per cent.
fn lost(result: &Phases, column: &PlotSpan, node: usize) -> [f64; 4] {
    let mut lost = [0.0; 4];
    let mut available = 0.0;
    for piece in &column.pieces {
        available += piece.wall() as f64 * f64::from(result.threads);
        let cells = piece.cells.iter();
        for cell in cells.filter(|cell| within(result, node, cell.node)) {
            for (sum, class) in lost.iter_mut().zip(OverheadClass::ALL) {
                *sum += cell.figures.lost(class) as f64;
            }
        }
    }
    lost.map(|lost| match available > 0.0 {
        true => lost / available * 100.0,
        false => 0.0,
    })
}

/// The outline of a class, above those before it.
fn layer(time: &Timeline, columns: &[PlotSpan], stacks: &[[f64; 4]], class: usize) -> String {
    let mut path = String::new();
    for (column, stack) in columns.iter().zip(stacks) {
        let low: f64 = stack[..class].iter().sum();
        let high: f64 = stack[..=class].iter().sum();
        if high > low {
            path += &time.rectangle(column, low, high);
        }
    }
    path
}

/// Which colour means which class.
fn legend(body: &mut String) {
    let mut x = AREA.left;
    for class in OverheadClass::ALL {
        let name = words::class(class);
        let _ = write!(
            body,
            "<rect class=\"c{}\" x=\"{x:.1}\" y=\"32\" width=\"12\" height=\"12\" rx=\"2\"/><text x=\"{:.1}\" y=\"42\">{name}</text>",
            class as usize,
            x + 17.0
        );
        x += 40.0 + name.len() as f64 * 6.6;
    }
}
