//! How iterations may share variables, by data flow.

use parascan_formats::source::{Sharing, SharingDoubt};

use super::super::read::{AccessKind, SourceBlock, SourceFunction, SourceLoop, SourceVariable};
use super::super::{flow, within};
use super::access;

/// Blocks: 0 before, 1 header, 2 body, 3 one side of a branch in the body, 4 latch, 5 after.
fn sharing(bytes: u64, accesses: &[(usize, AccessKind, u64)]) -> Option<Sharing> {
    let mut blocks: Vec<SourceBlock> = [&[1][..], &[2, 5], &[3, 4], &[4], &[1], &[]]
        .iter()
        .map(|successors| SourceBlock {
            successors: successors.to_vec(),
            ..SourceBlock::default()
        })
        .collect();
    for &(block, kind, offset) in accesses {
        blocks[block].accesses.push(access(kind, 0, offset));
    }
    let function = SourceFunction {
        infinite: false,
        blocks,
        variables: vec![SourceVariable {
            name: "t".into(),
            bytes,
            integer: true,
            shape: if bytes > 4 { 3 } else { 0 },
            ..SourceVariable::default()
        }],
        loops: Vec::new(),
    };
    let l = SourceLoop {
        header: 1,
        blocks: vec![1, 2, 3, 4],
        ..SourceLoop::default()
    };
    let source = flow::source(
        &within::LoopInFunction::new(&function, &l, None, &|_, _| false),
        None,
    );
    source.variables.first().map(|v| v.sharing)
}

#[test]
fn scalars() {
    use AccessKind::{Escape, Lifetime, Read, Write};
    let t = |accesses: &[(usize, AccessKind, u64)]| sharing(4, accesses);
    assert_eq!(t(&[(2, Read, 0)]), None);
    assert_eq!(t(&[(2, Write, 0), (2, Read, 0)]), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (5, Read, 0)]),
        Some(Sharing::LastPrivate)
    );
    let carried = Some(Sharing::Unknown(SharingDoubt::Carried));
    assert_eq!(t(&[(2, Read, 0), (2, Write, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (4, Read, 0)]), carried);
    assert_eq!(t(&[(3, Write, 0), (3, Read, 0)]), Some(Sharing::Private));
    let conditional = Some(Sharing::Unknown(SharingDoubt::Conditional));
    assert_eq!(t(&[(3, Write, 0), (5, Read, 0)]), conditional);
    assert_eq!(
        t(&[(3, Write, 0), (5, Write, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    assert_eq!(
        t(&[(3, Write, 0), (5, Lifetime, 0), (5, Read, 0)]),
        Some(Sharing::Private)
    );
    let escapes = Some(Sharing::Unknown(SharingDoubt::Escapes));
    assert_eq!(t(&[(0, Escape, 0), (2, Write, 0)]), escapes);
    assert_eq!(t(&[(2, Escape, 0)]), escapes);
}

#[test]
fn structures_by_member() {
    use AccessKind::{Read, Write};
    let t = |accesses: &[(usize, AccessKind, u64)]| sharing(8, accesses);
    let both = [(2, Write, 0), (2, Write, 4), (4, Read, 0), (4, Read, 4)];
    assert_eq!(t(&both), Some(Sharing::Private));
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 0), (4, Read, 4)]),
        Some(Sharing::FirstPrivate)
    );
    assert_eq!(
        t(&[(2, Write, 0), (4, Read, 4), (4, Write, 4)]),
        Some(Sharing::Unknown(SharingDoubt::Carried))
    );
    // The last iteration's copy would carry a member that it never set.
    assert_eq!(
        t(&[(2, Write, 0), (5, Read, 0), (5, Read, 4)]),
        Some(Sharing::Unknown(SharingDoubt::Conditional))
    );
    assert_eq!(
        t(&[(2, Write, 0), (2, Write, 4), (5, Read, 4)]),
        Some(Sharing::LastPrivate)
    );
}
