//! Files that charts are drawn into: SVG or PNG, as the file's name ends.

use std::path::Path;

#[cfg(feature = "png")]
use parascan_views::png;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;

/// Picture formats.
#[derive(Clone, Copy)]
enum PictureFormat {
    Svg,
    Png,
}

/// A file for a drawing.
pub struct PictureFile {
    format: PictureFormat,
    output: OutputFile,
}

impl PictureFile {
    /// The file of this name, which must end in `.svg` or `.png`; looked at before anything takes time.
    pub fn check(path: &Path) -> Outcome<Self> {
        Ok(Self {
            format: format(path)?,
            output: OutputFile::check(path)?,
        })
    }

    /// Writes a drawing, an SVG document, in the file's format.
    pub fn write(&self, svg: &str) -> Outcome<()> {
        match self.format {
            PictureFormat::Svg => self.output.write(svg.as_bytes()),
            PictureFormat::Png => {
                let bytes = png(svg).map_err(|e| {
                    Failure::new(
                        FailureKind::Io,
                        format!("cannot draw {}: {e}; try .svg", self.output.shown()),
                    )
                })?;
                self.output.write(&bytes)
            }
        }
    }
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Vec<u8>, &'static str> {
    Err("this parascan was built without PNG; `cargo xtask build` builds the whole of it")
}

/// The format that a file's name asks for.
fn format(path: &Path) -> Outcome<PictureFormat> {
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
            format(Path::new("a.b/c.SVG")),
            Ok(PictureFormat::Svg)
        ));
        assert!(matches!(format(Path::new("c.png")), Ok(PictureFormat::Png)));
        for wrong in ["c", "c.pdf", "svg", "a.svg/c", "-"] {
            let failure = format(Path::new(wrong)).err().map(|f| f.kind());
            assert_eq!(failure, Some(FailureKind::Usage), "{wrong}");
        }
    }
}
