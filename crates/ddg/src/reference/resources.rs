//! What each level needs, level by level.

use parascan_isa::InstructionClass;

use super::graph::InstanceGraph;
use super::stream::Instance;
use super::values::follow;
use crate::model::MachineModel;
use crate::result::{LevelMaximum, OperationsPerLevel, Resources};

/// All figures of the levels up to a limit; `levels` are those of all instances.
pub(super) fn resources(
    instances: &[Instance],
    model: &MachineModel,
    graph: &InstanceGraph,
    levels: &[u64],
    limit: u64,
) -> Resources {
    let counted = graph.critical_path(levels).min(limit);
    let mut alive = vec![0; counted as usize];
    for value in follow(instances, model) {
        let last = value.last(levels).unwrap_or(0);
        for level in (levels[value.maker].max(1)..last).take_while(|level| *level <= counted) {
            alive[level as usize - 1] += 1;
        }
    }
    let begun = |class: Option<InstructionClass>| {
        let mut begun = vec![0; counted as usize];
        for (node, &level) in graph.nodes.iter().zip(levels) {
            let first = level - node.steps + 1;
            let chosen = class.is_none_or(|class| instances[node.instance].class == class);
            if chosen && node.operation && node.steps > 0 && first <= counted {
                begun[first as usize - 1] += 1;
            }
        }
        begun
    };
    let classes = InstructionClass::ALL.into_iter().filter_map(|class| {
        let needed = needed(begun(Some(class)));
        (needed.operations > 0).then_some((class, needed))
    });
    Resources {
        levels: counted,
        alive: most(&alive),
        all: needed(begun(None)),
        classes: classes.collect(),
    }
}

/// The most there is in a level, and the first level with that.
fn most(numbers: &[u64]) -> LevelMaximum {
    let number = numbers.iter().copied().max().unwrap_or(0);
    let first = numbers.iter().position(|&it| it == number && number > 0);
    LevelMaximum {
        number,
        level: first.map_or(0, |first| first as u64 + 1),
    }
}

/// Of the numbers of operations that begin in each level.
fn needed(mut begun: Vec<u64>) -> OperationsPerLevel {
    let (operations, most) = (begun.iter().sum(), most(&begun));
    begun.sort_unstable();
    let enough = Resources::SHARES.map(|percent| {
        // So many levels must have enough, rounded up; the widest of the narrowest of them says what is enough.
        let levels = (begun.len() * percent as usize).div_ceil(100);
        levels.checked_sub(1).map_or(0, |last| begun[last])
    });
    OperationsPerLevel {
        operations,
        most,
        enough,
    }
}
