//! `parascan chart`: reads a profile, draws its p-chart.

use std::path::Path;

use parascan_analysis::chart::{ChartOptions, chart};
#[cfg(feature = "png")]
use parascan_views::chart_png as png;
use parascan_views::{chart_csv, chart_json, chart_svg, chart_text};

use crate::args::{self, Format};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::{print, profile};

/// Picture formats.
#[derive(Clone, Copy)]
enum PictureFormat {
    Svg,
    Png,
}

/// Draws the p-chart into a file, or prints it.
pub fn run(raw: &args::ChartArgs) -> Outcome<()> {
    let options = ChartOptions {
        self_parallelism: raw.self_parallelism,
        serial_below: raw.serial_below,
        min_work: raw.min_work,
        together: raw.together,
        max_boxes: raw.max_boxes,
    };
    options.check()?;
    let output = match &raw.output {
        Some(path) => Some((picture(path)?, OutputFile::check(path)?)),
        None => None,
    };
    let profiles = profile::read_all(std::slice::from_ref(&raw.profile))?;
    let chart = chart(&profiles[0], &options)?;
    if let Some((picture, output)) = output {
        return match picture {
            PictureFormat::Svg => output.write(chart_svg(&chart).as_bytes()),
            PictureFormat::Png => {
                let bytes = png(&chart).map_err(|e| {
                    Failure::new(
                        FailureKind::Io,
                        format!("cannot draw {}: {e}; try .svg", output.shown()),
                    )
                })?;
                output.write(&bytes)
            }
        };
    }
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| chart_text(&chart, style)),
        Format::Json => chart_json(&chart),
        Format::Csv => chart_csv(&chart),
    })
}

#[cfg(not(feature = "png"))]
fn png(_: &parascan_analysis::chart::Chart) -> Result<Vec<u8>, &'static str> {
    Err("this parascan was built without PNG; `cargo xtask build` builds the whole of it")
}

/// The format that a file's name asks for.
fn picture(path: &Path) -> Outcome<PictureFormat> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => Err(Failure::new(
            FailureKind::Usage,
            format!("-o {}: the name must end in .svg or .png", path.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        assert!(matches!(
            picture(Path::new("a.b/c.SVG")),
            Ok(PictureFormat::Svg)
        ));
        assert!(matches!(
            picture(Path::new("c.png")),
            Ok(PictureFormat::Png)
        ));
        for wrong in ["c", "c.pdf", "svg", "a.svg/c", "-"] {
            let failure = picture(Path::new(wrong)).err().map(|f| f.kind());
            assert_eq!(failure, Some(FailureKind::Usage), "{wrong}");
        }
    }
}
