//! Every trap listed in the design, with figures derived by hand in the sources under `traps/`.

use parascan_suite::check::check_all_levels;
use parascan_suite::tool::{Tool, suite_dir};

/// Checks all annotations of one source at all its levels.
fn trap(source: &str) -> anyhow::Result<()> {
    let tool = Tool::find()?;
    check_all_levels(&tool, &suite_dir().join("traps").join(source))
}

#[test]
fn wide_and_narrow_accesses_see_each_other() -> anyhow::Result<()> {
    trap("mixed_width.c")
}

#[test]
fn copies_fills_vectors_and_atomics_move_times() -> anyhow::Result<()> {
    trap("copies.c")
}

#[test]
fn control_dependence_follows_the_branch_executed_last() -> anyhow::Result<()> {
    trap("control.c")
}

#[test]
fn the_clock_never_goes_back_and_is_complete_at_boundaries() -> anyhow::Result<()> {
    trap("clock.c")
}

#[test]
fn counted_exits_take_no_time_and_others_do() -> anyhow::Result<()> {
    trap("counted.c")
}

#[test]
fn folded_functions_count_as_the_program_has_them() -> anyhow::Result<()> {
    trap("folded.c")
}

#[test]
fn hard_reductions_are_recognised() -> anyhow::Result<()> {
    trap("breaks.c")
}

#[test]
fn library_functions_carry_times_and_hidden_state() -> anyhow::Result<()> {
    trap("hidden_state.c")
}

#[test]
fn variadic_indirect_and_by_value_calls() -> anyhow::Result<()> {
    trap("variadic.c")
}

#[test]
fn exceptions_close_regions_and_lose_nothing() -> anyhow::Result<()> {
    trap("unwinding.cc")
}

#[test]
fn longjmp_closes_regions_and_loses_nothing() -> anyhow::Result<()> {
    trap("jumps.c")
}

#[test]
fn jumps_of_the_compiler_close_regions_and_lose_nothing() -> anyhow::Result<()> {
    trap("builtin_jumps.c")
}

#[test]
fn signal_handlers_leave_everything_as_it_was() -> anyhow::Result<()> {
    trap("signals.c")
}

#[test]
fn callbacks_from_library_code_are_measured() -> anyhow::Result<()> {
    trap("callbacks.c")
}

#[test]
fn recursion_beyond_the_lanes_is_survived() -> anyhow::Result<()> {
    trap("deep.c")
}

#[test]
fn depths_beyond_the_lanes_of_one_run_are_covered() -> anyhow::Result<()> {
    trap("levels.c")
}
