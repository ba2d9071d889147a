//! Lengths of arrays behind pointers.

use super::super::read::{
    AccessKind, Allocated, SourceAccess, SourceBlock, SourceFunction, SourceLoop, SourceVariable,
};
use super::super::{allocated, file, within};
use super::{access, statement};

/// The lengths of arrays that a loop of blocks 2 and 3 reaches through `h` (0), whose memory block 1 takes for `n` (1)
/// elements and one more; it follows 0 and comes before 2, as `successors` says.
fn lengths(successors: &[&[usize]], accesses: &[(usize, SourceAccess)], text: &str) -> Vec<String> {
    let blocks = successors.iter().map(|s| SourceBlock {
        successors: s.to_vec(),
        ..SourceBlock::default()
    });
    let mut blocks: Vec<SourceBlock> = blocks.collect();
    let update = |kind| SourceAccess {
        pointee: true,
        bytes: 4,
        ..access(kind, 0, 0)
    };
    let followed = SourceAccess {
        followed: true,
        ..access(AccessKind::Read, 0, 0)
    };
    blocks[1].accesses.push(SourceAccess {
        line: 3,
        ..access(AccessKind::Write, 0, 0)
    });
    let all = [
        followed,
        update(AccessKind::Read),
        update(AccessKind::Write),
    ];
    blocks[3].accesses.extend(all);
    for (block, access) in accesses {
        blocks[*block].accesses.push(access.clone());
    }
    let variables = ["h", "n"].map(|name| SourceVariable {
        name: name.into(),
        bytes: 4,
        integer: name == "n",
        shape: u32::from(name == "h"),
        target: u32::from(name == "h"),
        target_bytes: 4,
        allocated: (name == "h").then_some(Allocated {
            block: 1,
            length: Some(1),
            offset: 1,
        }),
        ..SourceVariable::default()
    });
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: variables.to_vec(),
        loops: Vec::new(),
    };
    let l = SourceLoop {
        header: 2,
        blocks: vec![2, 3],
        line: 7,
        ..SourceLoop::default()
    };
    let statement = statement("for (i = 0; i < 9; i++) {}");
    let place = within::LoopInFunction::new(&function, &l, Some(&statement), &|_, _| false);
    let source = file::SourceText::new(text.to_owned());
    let found = allocated::arrays(&place, source.scopes());
    found.iter().map(|a| a.length().to_owned()).collect()
}

#[test]
fn lengths_of_arrays_behind_pointers_are_read() {
    let straight: [&[usize]; 5] = [&[1], &[2], &[3, 4], &[2], &[]];
    let text = "int f(int n) {}";
    let found = |accesses: &[(usize, SourceAccess)]| lengths(&straight, accesses, text);
    assert_eq!(found(&[]), ["n + 1"]);
    // One way to the loop leads past what takes the memory.
    let past: [&[usize]; 5] = [&[1, 2], &[2], &[3, 4], &[2], &[]];
    assert!(lengths(&past, &[], text).is_empty());
    // The name means something else as well.
    assert!(lengths(&straight, &[], "#define n 3\n").is_empty());
    assert!(lengths(&straight, &[], "enum { n = 3 };\n").is_empty());
    let kept = SourceAccess {
        kept: true,
        line: 3,
        ..access(AccessKind::Read, 0, 0)
    };
    assert!(found(&[(1, kept.clone())]).is_empty(), "another name");
    assert_eq!(found(&[(4, kept)]), ["n + 1"], "behind the loop");
    assert!(
        found(&[(3, access(AccessKind::Read, 0, 0))]).is_empty(),
        "used otherwise"
    );
    let part = SourceAccess {
        pointee: true,
        bytes: 2,
        ..access(AccessKind::Read, 0, 0)
    };
    assert!(found(&[(3, part)]).is_empty(), "a part of an element");
}
