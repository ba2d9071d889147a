//! The p-chart as one SVG document: no script, no font, nothing from outside; readable in light and dark.

use std::collections::HashMap;
use std::fmt::Write;

use parascan_analysis::chart::{Block, Chart};

use super::{axis, kind, known, left_out, lines, share, share_of_height, times, top_power};
use crate::header::{mark, totals};
use crate::style::{escaped, grouped, percent, safe, shorten};

const WIDTH: f64 = 1120.0;
const HEIGHT: f64 = 500.0;
/// Around the plot: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (68.0, 70.0, 24.0, 58.0);
/// Height of a row of the table below.
const ROW: f64 = 19.0;
/// Most rows of the table; all regions are in the terminal's table, in JSON and CSV.
const LISTED: usize = 40;
/// Size of letters in the plot, and the width of one character.
const LETTER: (f64, f64) = (12.0, 7.6);
/// Colours of regions, by letter; they begin anew after the last.
const COLORS: [&str; 10] = [
    "#5b8fd9", "#e0862f", "#43a35c", "#d1495b", "#8f6fc7", "#a9825a", "#d774b4", "#7f8c8d",
    "#b5a229", "#2ea6b5",
];

/// The chart as an SVG document.
pub fn chart_svg(chart: &Chart) -> String {
    let notes = left_out(chart);
    let listed = chart.legend.len().min(LISTED);
    let rows = listed + usize::from(listed < chart.legend.len()) + 1;
    let below = HEIGHT + ROW * rows as f64 + 14.0;
    let height = below + ROW * notes.len() as f64 + 8.0;
    let program = escaped(&shorten(&safe(chart.model.program()), 70));
    let mark = mark(&chart.model.inputs);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">p-chart of {program}</title>\n\
         <desc id=\"desc\">{} boxes: work from left to right, {} upwards, by powers of two. The table below names the regions.</desc>\n\
         <style>{}</style>\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"t\" x=\"{}\" y=\"24\">p-chart of {program}{mark}</text>\n\
         <text class=\"n\" x=\"{}\" y=\"43\">{} Height of a box: {}.</text>\n",
        chart.boxes.len(),
        axis(chart),
        style(),
        MARGIN.0,
        MARGIN.0,
        totals(
            chart.model.work,
            chart.model.critical_path,
            &chart.model.inputs
        ),
        axis(chart),
    );
    let plot = Plot {
        chart,
        top: top_power(chart),
    };
    plot.axes(&mut out);
    plot.boxes(&mut out);
    plot.letters(&mut out);
    table(chart, listed, &mut out);
    for (number, note) in notes.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"n\" x=\"{}\" y=\"{}\">{}</text>",
            MARGIN.0,
            below + ROW * number as f64,
            escaped(note)
        );
    }
    out + "</svg>\n"
}

fn style() -> String {
    let mut out = String::from(
        "text{font:12px 'DejaVu Sans',sans-serif;fill:#222}.paper{fill:#fff}.t{font-size:16px;font-weight:bold}.n{fill:#555}\
         .h{font-weight:bold}.g{stroke:#ddd}.a{stroke:#888}.e{text-anchor:end}.m{text-anchor:middle}\
         .l{font-weight:bold;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\
         .b{fill-opacity:.16;stroke-width:.6;stroke-opacity:.55}.c{stroke-width:2.4}.u{stroke-dasharray:4 3}",
    );
    for (number, color) in COLORS.iter().enumerate() {
        let _ = write!(out, ".k{number}{{fill:{color};stroke:{color}}}");
    }
    out + "@media(prefers-color-scheme:dark){text{fill:#ddd}.paper{fill:#1b1b1b}.n{fill:#aaa}.g{stroke:#383838}.l{stroke:#1b1b1b}.b{fill-opacity:.24}}"
}

/// Where things are.
struct Plot<'a> {
    chart: &'a Chart,
    /// Highest power of two.
    top: u32,
}

impl Plot<'_> {
    fn x(&self, work: u64) -> f64 {
        MARGIN.0 + share(self.chart, work) * (WIDTH - MARGIN.0 - MARGIN.2)
    }

    fn y(&self, share: f64) -> f64 {
        HEIGHT - MARGIN.3 - share * (HEIGHT - MARGIN.1 - MARGIN.3)
    }

    fn axes(&self, out: &mut String) {
        let (left, right, base) = (MARGIN.0, WIDTH - MARGIN.2, self.y(0.0));
        // At most some 16 lines, at whole powers.
        let step = self.top.div_ceil(16);
        for power in (0..=self.top).step_by(step as usize) {
            let y = self.y(f64::from(power) / f64::from(self.top));
            let label = if power < 64 {
                grouped(1 << power)
            } else {
                format!("2^{power}")
            };
            let label = if label.len() > 7 {
                format!("2^{power}")
            } else {
                label
            };
            let _ = writeln!(
                out,
                "<path class=\"g\" d=\"M{left} {y:.1}H{right}\"/><text class=\"e\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                left - 8.0,
                y + 4.0
            );
        }
        for tenth in 0..=10u32 {
            let x = left + f64::from(tenth) / 10.0 * (right - left);
            let _ = writeln!(
                out,
                "<path class=\"a\" d=\"M{x:.1} {base}v5\"/><text class=\"m\" x=\"{x:.1}\" y=\"{}\">{}%</text>",
                base + 18.0,
                tenth * 10
            );
            if tenth % 2 == 0 {
                let units = (u128::from(self.chart.model.work) * u128::from(tenth) / 10) as u64;
                let anchor = if tenth == 10 { "n e" } else { "n m" };
                let _ = writeln!(
                    out,
                    "<text class=\"{anchor}\" x=\"{x:.1}\" y=\"{}\">{}</text>",
                    base + 34.0,
                    grouped(units)
                );
            }
        }
        let _ = writeln!(
            out,
            "<path class=\"a\" d=\"M{left} {base}H{right}\"/><text class=\"n m\" x=\"{:.1}\" y=\"{}\">work from the start of the run, in units</text>\
             <text class=\"n\" x=\"8\" y=\"{}\">{} (log2)</text>",
            (left + right) / 2.0,
            base + 50.0,
            MARGIN.1 - 12.0,
            axis(self.chart),
        );
    }

    fn color(&self, region: u32) -> usize {
        let place = self
            .chart
            .legend
            .iter()
            .position(|row| row.region == region);
        place.unwrap_or(0) % COLORS.len()
    }

    fn boxes(&self, out: &mut String) {
        let chart = self.chart;
        let base = self.y(0.0);
        for one in &chart.boxes {
            let (x, end) = (
                self.x(one.start),
                self.x(one.start.saturating_add(one.work)),
            );
            let width = (end - x).max(0.5);
            let y = self.y(share_of_height(chart, one, self.top));
            let color = self.color(one.region);
            let unknown = if one.height(&chart.options).is_none() {
                " u"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "<g><title>{}</title><rect class=\"b k{color}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>\
                 <path class=\"c k{color}{unknown}\" d=\"M{x:.1} {y:.1}h{width:.1}\"/></g>",
                escaped(&self.describe(one)),
                base - y,
            );
        }
    }

    fn describe(&self, one: &Block) -> String {
        let chart = self.chart;
        let region = &chart.model.regions[one.region as usize];
        let end = share(chart, one.start.saturating_add(one.work));
        let mut text = format!(
            "{} {}: {} of {}\nwork {} ({}), from {} to {}\ntotal parallelism {}, self-parallelism {}",
            chart.letter(one.region),
            safe(&region.id),
            kind(chart, one.region),
            safe(&region.fixed.function),
            grouped(one.work),
            percent(share(chart, one.work)),
            percent(share(chart, one.start)),
            percent(end),
            known(one.total_parallelism),
            known(one.self_parallelism),
        );
        if one.instances > 1 {
            let _ = write!(text, "\n{} instances in a row", grouped(one.instances));
            if let Some((low, high)) = one.spread.filter(|(low, high)| low < high) {
                let _ = write!(
                    text,
                    ", total parallelism {} to {}",
                    known(Some(low)),
                    known(Some(high))
                );
            }
        }
        text
    }

    /// Letters over the tops of boxes, wide boxes first, each where it covers no other. A neighbour of the same region has
    /// a dot, as in the paper.
    fn letters(&self, out: &mut String) {
        let chart = self.chart;
        let mut order: Vec<usize> = (0..chart.boxes.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(chart.boxes[index].work));
        let mut before: HashMap<(Option<usize>, u64), u32> = HashMap::new();
        for one in &chart.boxes {
            before.insert((one.parent, one.start.saturating_add(one.work)), one.region);
        }
        let mut taken: Vec<(f64, f64, f64, f64)> = Vec::new();
        for index in order {
            let one = &chart.boxes[index];
            let (x, end) = (
                self.x(one.start),
                self.x(one.start.saturating_add(one.work)),
            );
            let again =
                one.instances == 1 && before.get(&(one.parent, one.start)) == Some(&one.region);
            let letter = chart.letter(one.region);
            let full = format!("{letter}{}", times(one));
            let y = self.y(share_of_height(chart, one, self.top)) - 5.0;
            let texts = if again {
                [".".to_owned(), ".".to_owned()]
            } else {
                [full, letter.to_owned()]
            };
            let mut placed = false;
            for text in texts {
                let half = text.chars().count() as f64 * LETTER.1 / 2.0;
                let alone = text.len() == letter.len() && end - x >= 3.0;
                if 2.0 * half > end - x && !alone {
                    continue;
                }
                // The middle first, then further and further out, above the line, then under it.
                for (line, place) in
                    (0..2).flat_map(|line| [4, 3, 5, 2, 6, 1, 7, 0, 8].map(|p| (line, p)))
                {
                    let y = y + f64::from(line) * (LETTER.0 + 7.0);
                    let room = ((end - x) / 2.0 - half).max(0.0);
                    let middle = (x + end) / 2.0 + (f64::from(place) - 4.0) / 4.0 * room;
                    let mine = (middle - half, y - LETTER.0 + 2.0, middle + half, y + 1.0);
                    let free = taken.iter().all(|other| {
                        mine.2 <= other.0
                            || other.2 <= mine.0
                            || mine.3 <= other.1
                            || other.3 <= mine.1
                    });
                    if free {
                        taken.push(mine);
                        let _ = writeln!(
                            out,
                            "<text class=\"l\" x=\"{middle:.1}\" y=\"{y:.1}\">{text}</text>"
                        );
                        placed = true;
                        break;
                    }
                }
                if placed {
                    break;
                }
            }
        }
    }
}

fn table(chart: &Chart, listed: usize, out: &mut String) {
    let left = MARGIN.0;
    // Column, place, whether a number stands to the left of the place.
    let columns = [
        ("Region", left + 34.0, false),
        ("Lines", left + 340.0, false),
        ("Function", left + 430.0, false),
        ("Instances", left + 740.0, true),
        ("Work", left + 820.0, true),
        ("Total-par.", left + 910.0, true),
        ("Self-par.", left + 1000.0, true),
    ];
    let mut cell = |text: &str, column: (&str, f64, bool), y: f64, class: &str| {
        let end = if column.2 { " e" } else { "" };
        let _ = write!(
            out,
            "<text class=\"{class}{end}\" x=\"{}\" y=\"{y}\">{}</text>",
            column.1,
            escaped(text)
        );
    };
    let y = HEIGHT + 14.0;
    for column in columns {
        cell(column.0, column, y, "h");
    }
    for (number, row) in chart.legend.iter().take(listed).enumerate() {
        let y = y + ROW * (number + 1) as f64;
        let region = &chart.model.regions[row.region as usize];
        let texts = [
            shorten(&safe(&region.id), 40),
            lines(chart, row.region),
            shorten(&safe(&region.fixed.function), 30),
            grouped(row.instances),
            percent(share(chart, row.work)),
            known(row.total_parallelism),
            known(row.self_parallelism),
        ];
        for (text, column) in texts.iter().zip(columns) {
            cell(text, column, y, "");
        }
        cell(&row.letter, ("", left, false), y, "h");
    }
    if listed < chart.legend.len() {
        let more = format!("and {} more", chart.legend.len() - listed);
        cell(&more, columns[0], y + ROW * (listed + 1) as f64, "n");
    }
    for (number, _) in chart.legend.iter().take(listed).enumerate() {
        let y = y + ROW * (number + 1) as f64;
        let _ = write!(
            out,
            "<rect class=\"k{}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>",
            number % COLORS.len(),
            left - 16.0,
            y - 9.0
        );
    }
    out.push('\n');
}
