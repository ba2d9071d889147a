//! Whether everything that is linked may be: the list in `deny.toml` against the licences that packages state.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::command::Cargo;
use crate::places::Places;

/// Checks all packages that any member of the workspace depends on.
pub fn check(places: &Places) -> Result<()> {
    let text = fs::read_to_string(places.root.join("deny.toml")).context("deny.toml")?;
    let allowed = allowed(&text);
    ensure!(!allowed.is_empty(), "deny.toml allows no licence");
    let tree = Cargo::new(
        places,
        &["tree", "--workspace", "--locked", "--prefix", "none"],
    )
    .args(&["--format", "{l}\t{p}"])
    .output()?;
    let mut wrong: Vec<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .filter(|line| {
            line.split_once('\t')
                .is_none_or(|(licence, _)| !satisfied(licence, &allowed))
        })
        .collect();
    wrong.sort_unstable();
    wrong.dedup();
    ensure!(
        wrong.is_empty(),
        "licences that deny.toml does not allow:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

/// The strings of `allow` in `deny.toml`.
fn allowed(text: &str) -> Vec<&str> {
    let list = text
        .split_once("allow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).collect()
}

/// Whether an SPDX expression can be met: all its `AND` parts, by one of their `OR` alternatives each.
fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ");
    expression.split(" AND ").all(|part| {
        let part = part.trim_matches(|c: char| c.is_whitespace() || c == '(' || c == ')');
        part.split(" OR ")
            .any(|licence| allowed.contains(&licence.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-2.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR X",
        ] {
            assert!(satisfied(good, &allowed), "{good}");
        }
        for wrong in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0",
            "(GPL-3.0 OR X) AND MIT",
        ] {
            assert!(!satisfied(wrong, &allowed), "{wrong}");
        }
    }

    #[test]
    fn the_list_is_read() {
        assert_eq!(
            allowed("a = 1\nallow = [\n  \"MIT\",\n  \"Zlib\",\n]\nb = [\"X\"]"),
            ["MIT", "Zlib"]
        );
    }
}
