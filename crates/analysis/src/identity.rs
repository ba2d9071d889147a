//! When two static regions are the same one, and how a region is called on the command line.

use std::collections::{BTreeMap, HashMap};

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Profile, Region};

/// What makes a region the same in every module and every profile of one program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RegionKey {
    file: String,
    line: u32,
    column: u32,
    kind: u8,
    function: String,
    /// Where the place is unknown: symbol and module stand in for it.
    instead: Option<(String, String)>,
    /// Tells regions of one module apart that agree in all of the above (a macro with two loops).
    ordinal: u32,
}

/// Keys of a profile's regions, by region number.
pub(crate) fn keys(profile: &Profile) -> Vec<RegionKey> {
    let mut seen: HashMap<(u32, RegionKey), u32> = HashMap::new();
    let key = |region: &Region| {
        let (fixed, module) = (&region.fixed, profile.modules.get(region.module as usize));
        let unknown = fixed.line == 0 || fixed.file.is_empty();
        RegionKey {
            file: fixed.file.clone(),
            line: fixed.line,
            column: fixed.column,
            kind: fixed.kind as u8,
            function: fixed.function.clone(),
            instead: unknown.then(|| {
                let source = module.map(|m| format!("{}/{}", m.directory, m.source));
                (fixed.linkage_name.clone(), source.unwrap_or_default())
            }),
            ordinal: 0,
        }
    };
    profile
        .regions
        .iter()
        .map(|region| {
            let mut key = key(region);
            let count = seen.entry((region.module, key.clone())).or_default();
            key.ordinal = *count;
            *count += 1;
            key
        })
        .collect()
}

/// What [`ids`] needs to know about a region.
pub(crate) struct NamedRegion<'a> {
    pub(crate) key: &'a RegionKey,
    pub(crate) kind: RegionKind,
    pub(crate) function: &'a str,
    /// The module's source, where the region's own file is unknown.
    pub(crate) source: &'a str,
}

/// Unique, readable, shell-safe ids: `file:line:column` of a loop, `file:line:name` of a function, the loop's with
/// `:body` for its iterations. Regions that would share an id are numbered, in the order of their keys.
pub(crate) fn ids(regions: &[NamedRegion]) -> Vec<String> {
    let files = short_names(regions.iter().map(|r| file_of(r)));
    let mut plain: Vec<String> = regions
        .iter()
        .map(|region| {
            let file = files[file_of(region)].as_str();
            let (line, column) = (region.key.line, region.key.column);
            let name = short_function(region.function);
            let text = match region.kind {
                RegionKind::Function if line == 0 => format!("{file}:{name}"),
                RegionKind::Function => format!("{file}:{line}:{name}"),
                RegionKind::Loop if line == 0 => format!("{file}:{name}:loop"),
                RegionKind::Loop => format!("{file}:{line}:{column}"),
                RegionKind::Iteration if line == 0 => format!("{file}:{name}:loop:body"),
                RegionKind::Iteration => format!("{file}:{line}:{column}:body"),
            };
            text.chars()
                .map(|c| if c.is_control() { '_' } else { c })
                .collect()
        })
        .collect();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, id) in plain.iter().enumerate() {
        groups.entry(id.clone()).or_default().push(index);
    }
    for (id, mut members) in groups {
        if members.len() > 1 {
            members.sort_by_key(|&index| regions[index].key);
            for (number, index) in members.into_iter().enumerate() {
                plain[index] = format!("{id}#{}", number + 1);
            }
        }
    }
    plain
}

fn file_of<'a>(region: &NamedRegion<'a>) -> &'a str {
    if region.key.file.is_empty() {
        region.source
    } else {
        &region.key.file
    }
}

/// For every path the shortest tail (in whole components) that no other path shares.
fn short_names<'a>(paths: impl Iterator<Item = &'a str>) -> HashMap<&'a str, String> {
    let mut paths: Vec<&str> = paths.collect();
    paths.sort_unstable();
    paths.dedup();
    let mut names = HashMap::new();
    let mut open = paths;
    let mut components = 1;
    while !open.is_empty() {
        let mut by_tail: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
        for path in open {
            by_tail
                .entry(tail(path, components))
                .or_default()
                .push(path);
        }
        open = Vec::new();
        for (name, sharing) in by_tail {
            for &path in &sharing {
                // A path that is all used up cannot become longer.
                if sharing.len() == 1 || name == path {
                    names.insert(path, name.to_owned());
                } else {
                    open.push(path);
                }
            }
        }
        components += 1;
    }
    names
}

/// The last `components` components of a path.
fn tail(path: &str, components: usize) -> &str {
    path.rmatch_indices('/')
        .nth(components - 1)
        .map_or(path, |(at, _)| &path[at + 1..])
}

/// Whether `path` ends with the components of `tail`.
pub(crate) fn ends_with_path(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail)
        .is_some_and(|rest| !tail.is_empty() && (rest.is_empty() || rest.ends_with('/')))
}

/// The bare name of a demangled function: without return type, scopes, template and call arguments; characters that a
/// shell might take apart become `_`.
pub(crate) fn short_function(demangled: &str) -> String {
    let mut start = 0;
    let mut depth = 0u32;
    let mut end = demangled.len();
    let bytes = demangled.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &demangled[at..];
        if depth == 0 && at == start && rest.starts_with("operator") {
            at += "operator".len();
            if demangled[at..].starts_with("()") {
                at += 2;
            }
            end = demangled[at..].find('(').map_or(bytes.len(), |i| at + i);
            break;
        }
        match bytes[at] {
            b'(' if depth == 0 && at > start && !rest.starts_with("(anonymous") => {
                // Arguments, unless a scope follows: `f(int)::local`.
                match closing(bytes, at) {
                    Some(close) if demangled[close + 1..].starts_with("::") => {
                        at = close + 3;
                        start = at;
                        continue;
                    }
                    _ => {
                        end = at;
                        break;
                    }
                }
            }
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && rest.starts_with("::") => {
                at += 2;
                start = at;
                continue;
            }
            b' ' if depth == 0 => start = at + 1,
            _ => {}
        }
        at += if rest.is_char_boundary(1) {
            1
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    let bare = &demangled[start.min(end)..end];
    let bare = if bare.starts_with("operator") {
        bare
    } else {
        bare.split('<').next().unwrap_or(bare)
    };
    let clean: String = bare
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if clean.is_empty() {
        "_".to_owned()
    } else {
        clean
    }
}

/// Where the parenthesis at `open` closes.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_function_names() {
        for (full, bare) in [
            ("main", "main"),
            ("ns::Foo<int>::bar(int, char const*) const", "bar"),
            ("void ns::each<int, std::less<int> >(int*, int)", "each"),
            ("main::{lambda(int)#1}::operator()(int) const", "operator__"),
            ("(anonymous namespace)::f(int)", "f"),
            ("operator<(A const&, A const&)", "operator_"),
            ("f(int)::local::g()", "g"),
            ("", "_"),
            ("größe(int)", "größe"),
            ("\u{1b}[31mx", "__31mx"),
        ] {
            assert_eq!(short_function(full), bare, "{full}");
        }
    }

    #[test]
    fn files_are_named_as_shortly_as_possible() {
        let names = short_names(["/p/a/util.c", "/p/b/util.c", "/p/main.c", "util.c"].into_iter());
        assert_eq!(names["/p/main.c"], "main.c");
        assert_eq!(names["/p/a/util.c"], "a/util.c");
        assert_eq!(names["/p/b/util.c"], "b/util.c");
        assert_eq!(names["util.c"], "util.c");
    }

    #[test]
    fn paths_match_by_whole_components() {
        assert!(ends_with_path("/p/a/util.c", "util.c"));
        assert!(ends_with_path("/p/a/util.c", "a/util.c"));
        assert!(ends_with_path("util.c", "util.c"));
        assert!(!ends_with_path("/p/a/util.c", "til.c"));
        assert!(!ends_with_path("/p/a/util.c", ""));
    }
}
