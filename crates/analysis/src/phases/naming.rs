//! How nodes are named to users, and found by what users write.

use parascan_formats::omp::{CodePosition, Construct, Location, Place};

use super::tree::JoinedTree;
use crate::Error;

/// A node's id: `R` and its number.
pub fn id(node: usize) -> String {
    format!("R{node}")
}

/// The last part of a path.
pub fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Where a place is, in short: `file:line`, `symbol+0x1c` or `module+0x1139`; empty when unknown.
pub fn location(place: &Place) -> String {
    match &place.location {
        Location::Unknown => String::new(),
        Location::Source {
            frame: CodePosition { file, line, .. },
            ..
        } => match line {
            0 => base(file).to_owned(),
            _ => format!("{}:{line}", base(file)),
        },
        Location::Binary {
            module,
            symbol,
            offset,
        } => format!(
            "{}+{offset:#x}",
            symbol.as_deref().unwrap_or_else(|| base(module))
        ),
    }
}

/// The function around a place, or its own name; empty when unknown.
pub fn function(place: &Place) -> &str {
    match &place.location {
        Location::Source { frame, .. } => &frame.function,
        Location::Binary {
            symbol: Some(symbol),
            ..
        } => symbol,
        Location::Unknown | Location::Binary { .. } => "",
    }
}

/// Kind, name and location in a few words: `parallel cg.c:77`.
pub fn title(place: &Place) -> String {
    let parts = [
        place.construct.name().to_owned(),
        place.name.clone(),
        location(place),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    parts.join(" ")
}

/// The node that is meant by an id (`R7`), a location (`cg.c:77`), a name, or a kind and one of those
/// (`loop cg.c:77`). Where several fit, the one closest to the program; where several are equally close, none.
///
/// # Errors
/// [`Error::UnknownNode`], which lists the nodes that were meant perhaps.
pub fn find(tree: &JoinedTree, given: &str) -> Result<usize, Error> {
    let given = given.trim();
    let number = given
        .strip_prefix(['R', 'r'])
        .and_then(|number| number.parse::<usize>().ok());
    if let Some(number) = number.filter(|&n| n < tree.nodes.len()) {
        return Ok(number);
    }
    let depth = |mut node: usize| {
        let mut depth = 0u32;
        while let Some(parent) = tree.nodes[node].parent {
            node = parent;
            depth += 1;
        }
        depth
    };
    let fits = |place: &Place| {
        let location = location(place);
        let kind = place.construct.name();
        let full = match &place.location {
            Location::Source { frame, .. } => format!("{}:{}", frame.file, frame.line),
            Location::Unknown | Location::Binary { .. } => String::new(),
        };
        [place.name.as_str(), location.as_str(), full.as_str()]
            .into_iter()
            .filter(|name| !name.is_empty())
            .any(|name| {
                given == name
                    || given
                        .strip_prefix(kind)
                        .is_some_and(|rest| rest.trim_start() == name)
            })
    };
    let mut found: Vec<(u32, usize)> = (0..tree.nodes.len())
        .filter(|&node| fits(&tree.nodes[node].place))
        .map(|node| (depth(node), node))
        .collect();
    found.sort_unstable();
    let closest = found.first().map_or(0, |f| f.0);
    let fitting: Vec<usize> = found
        .iter()
        .take_while(|f| f.0 == closest)
        .map(|f| f.1)
        .collect();
    // Marks of one name are one, wherever they stand.
    let are_marks = |nodes: &[usize]| {
        let places = nodes.iter().map(|&n| &tree.nodes[n].place);
        let mut names = places.map(|p| (p.construct == Construct::Phase, &p.name));
        let first = names.next();
        first.is_some_and(|f| f.0) && names.all(|n| Some(n) == first)
    };
    match fitting.as_slice() {
        [one] => Ok(*one),
        several @ [one, ..] if are_marks(several) => Ok(*one),
        _ => Err(Error::UnknownNode {
            given: given.to_owned(),
            similar: found
                .iter()
                .take(8)
                .map(|&(_, node)| format!("{} ({})", id(node), title(&tree.nodes[node].place)))
                .collect(),
        }),
    }
}
