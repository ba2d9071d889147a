//! Where the separate debug file of a program may be: named by build identifier or by link.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::Object;

/// Where distributions put debug files.
const ROOT: &str = "/usr/lib/debug";

/// Paths of the debug file that `file`, which lies at `path`, names, the likeliest first; none where it has its debug
/// information itself.
pub fn debug_files<'a>(path: &Path, file: &impl Object<'a>) -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    if file.section_by_name(".debug_info").is_some() {
        return candidates;
    }
    if let Ok(Some([first, rest @ ..])) = file.build_id() {
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        candidates.push(format!("{ROOT}/.build-id/{first:02x}/{rest}.debug").into());
    }
    if let Ok(Some((name, _))) = file.gnu_debuglink()
        && let Some(folder) = path.parent()
    {
        let name = OsStr::from_bytes(name);
        let mut global = PathBuf::from(ROOT);
        global.extend(folder.components().skip(1));
        let linked = [
            folder.join(name),
            folder.join(".debug").join(name),
            global.join(name),
        ];
        candidates.extend(linked.into_iter().filter(|candidate| candidate != path));
    }
    candidates
}
