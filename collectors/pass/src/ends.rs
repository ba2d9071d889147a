//! Ends of a function other than its return, and which of them are failures.

use crate::control::LoopBody;
use crate::ir::{Block, Opcode, Value};

/// How a block ends the function without returning from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEnd {
    /// A check that did not hold: a failed assertion, a panic, `abort`, an exception that passes through, `exit` with a
    /// constant other than 0. What the compiler takes for impossible is one as well.
    Failure,
    /// The ordinary end of the program or thread.
    Exit,
    /// A jump to another function.
    Jump,
}

/// How a block ends the function; None: it goes on, or returns.
pub fn end(block: Block) -> Option<BlockEnd> {
    let last = block.terminator();
    let call = match last.opcode() {
        Opcode::LLVMResume => return Some(BlockEnd::Failure),
        Opcode::LLVMUnreachable => {
            let calls = |i: &Value| i.opcode() == Opcode::LLVMCall;
            let mut instructions = block.instructions().into_iter().rev();
            let real = |i: &Value| calls(i) && i.callee().intrinsic_name().is_none();
            instructions.find(real)
        }
        Opcode::LLVMInvoke => return called(last),
        _ => return None,
    };
    Some(call.and_then(called).unwrap_or(BlockEnd::Failure))
}

/// What a call is that does not return, unless it is a failure.
fn called(call: Value) -> Option<BlockEnd> {
    let name = call.callee().name();
    let argument = |n: usize| call.args().get(n).and_then(|a| a.constant_int());
    let fails = |n: usize| argument(n).is_some_and(|code| code != 0);
    let exits = match name.as_str() {
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => return Some(BlockEnd::Jump),
        "pthread_exit" | "thrd_exit" => true,
        "exit" | "_exit" | "_Exit" | "quick_exit" | "_FortranAExit" => !fails(0),
        "_FortranAStopStatement" => !fails(0) && !fails(1),
        "_FortranAStopStatementText" => !fails(2),
        // Rust's `std::process::exit`, in both manglings.
        _ => name.contains("7process4exit") && !fails(0),
    };
    exits.then_some(BlockEnd::Exit)
}

/// Successors without the edges on which a check fails, where control can also take another: `ends[b]` is how block `b`
/// ends the function. Nothing is dropped in functions that always fail, nor in loops that end in no other way.
pub fn without_failures(
    successors: &[Vec<usize>],
    ends: &[Option<BlockEnd>],
    loops: &[LoopBody],
) -> Vec<Vec<usize>> {
    let mut fails: Vec<bool> = ends.iter().map(|e| *e == Some(BlockEnd::Failure)).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (b, list) in successors.iter().enumerate().rev() {
            let goes_on = ends[b].is_none() && !list.is_empty();
            if !fails[b] && goes_on && list.iter().all(|s| fails[*s]) {
                (fails[b], changed) = (true, true);
            }
        }
    }
    let mut held = successors.to_vec();
    if fails[0] {
        return held;
    }
    let mut kept = vec![false; successors.len()];
    for l in loops {
        let out = |b: &usize| {
            let leaves = |s: &usize| !l.blocks.contains(s) && !fails[*s];
            successors[*b].iter().any(leaves)
        };
        if !l.blocks.iter().any(out) {
            l.blocks.iter().for_each(|&b| kept[b] = true);
        }
    }
    for (b, list) in held.iter_mut().enumerate() {
        if !fails[b] && !kept[b] {
            list.retain(|s| !fails[*s]);
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(blocks: &[usize]) -> LoopBody {
        LoopBody {
            blocks: blocks.to_vec(),
            ..LoopBody::default()
        }
    }

    /// 0 -> 1; 1 -> 2 | 3; 2 -> 1 | 4; 3 -> 5; 4 returns; 5 ends as given.
    fn graph() -> Vec<Vec<usize>> {
        vec![
            vec![1],
            vec![2, 3],
            vec![1, 4],
            vec![5],
            Vec::new(),
            Vec::new(),
        ]
    }

    #[test]
    fn a_check_in_a_loop_is_taken_to_hold() {
        let mut ends = [None; 6];
        ends[5] = Some(BlockEnd::Failure);
        let held = without_failures(&graph(), &ends, &[body(&[1, 2])]);
        assert_eq!(held[1], [2]);
        assert_eq!(held[2], [1, 4]);
        assert_eq!(held[3], [5]);
        ends[5] = Some(BlockEnd::Exit);
        assert_eq!(without_failures(&graph(), &ends, &[body(&[1, 2])]), graph());
    }

    #[test]
    fn a_check_that_alone_ends_a_loop_or_function_is_a_condition() {
        let mut ends = [None; 6];
        (ends[4], ends[5]) = (Some(BlockEnd::Failure), Some(BlockEnd::Failure));
        assert_eq!(without_failures(&graph(), &ends, &[body(&[1, 2])]), graph());
        // 0 -> 1 | 3; 1 -> 1 | 2; 2 fails; 3 returns.
        let graph = [vec![1, 3], vec![1, 2], Vec::new(), Vec::new()];
        let ends = [None, None, Some(BlockEnd::Failure), None];
        assert_eq!(without_failures(&graph, &ends, &[body(&[1])]), graph);
    }
}
