//! Numbers of constructs and states, which the collector writes and readers of the log read: the one list of each.
//!
//! As macros, because the collector's types and the readers' differ in what is derived for them.

/// Defines `Construct`: the kinds of nodes. Takes attributes for it.
#[macro_export]
macro_rules! omp_constructs {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        #[repr(u8)]
        pub enum Construct {
            /// The whole program.
            Program = 0,
            /// A function of the program (built with parascan's drivers or `-finstrument-functions`).
            Function = 1,
            /// A phase marked by the user.
            Phase = 2,
            /// A region named by the user, ITT or NVTX.
            UserRegion = 3,
            /// A parallel region. Waiting in the barrier that ends it is charged to the region itself.
            Parallel = 4,
            /// A `teams` region on the host.
            Teams = 5,
            /// A worksharing loop. The implicit barriers of worksharing constructs are charged to the constructs.
            Loop = 6,
            /// A sections construct.
            Sections = 7,
            /// A single construct: entered by all threads, whether they executed it or not.
            Single = 8,
            /// A workshare construct (Fortran).
            Workshare = 9,
            /// A distribute construct.
            Distribute = 10,
            /// A master or masked construct, in the threads that executed it.
            Masked = 11,
            /// A scope construct.
            Scope = 12,
            /// An explicit barrier.
            Barrier = 13,
            /// An implicit barrier whose construct did not report itself.
            ImplicitBarrier = 14,
            /// A critical region: waiting and body.
            Critical = 15,
            /// Acquisition of a lock (not the time it is held).
            Lock = 16,
            /// An ordered region: waiting and body.
            Ordered = 17,
            /// An atomic update in the runtime.
            Atomic = 18,
            /// An explicit task, where it executes: below the parallel region, not below its creator.
            Task = 19,
            /// A taskloop, in the thread that creates its tasks.
            TaskLoop = 20,
            /// A taskwait.
            TaskWait = 21,
            /// A taskgroup.
            TaskGroup = 22,
            /// A reduction.
            Reduction = 23,
        }

        impl Construct {
            /// All of them, by number.
            pub const ALL: [Self; 24] = [
                Self::Program,
                Self::Function,
                Self::Phase,
                Self::UserRegion,
                Self::Parallel,
                Self::Teams,
                Self::Loop,
                Self::Sections,
                Self::Single,
                Self::Workshare,
                Self::Distribute,
                Self::Masked,
                Self::Scope,
                Self::Barrier,
                Self::ImplicitBarrier,
                Self::Critical,
                Self::Lock,
                Self::Ordered,
                Self::Atomic,
                Self::Task,
                Self::TaskLoop,
                Self::TaskWait,
                Self::TaskGroup,
                Self::Reduction,
            ];
        }
    };
}

/// Defines `State`: what a thread does; `docs/omp-overheads.md` is the law for which moment belongs to which state.
/// Takes attributes for it.
#[macro_export]
macro_rules! omp_states {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        #[repr(u8)]
        pub enum State {
            /// Executing the program.
            Work = 0,
            /// Waiting in an explicit barrier.
            Barrier = 1,
            /// Waiting in the implicit barrier of a worksharing construct or parallel region, while no other state
            /// below applies.
            ImplicitBarrier = 2,
            /// Waiting in any barrier while another thread of the team executes a single or masked region, or because
            /// there were fewer sections than threads.
            Serial = 3,
            /// Waiting to enter a critical region.
            Critical = 4,
            /// Waiting for a lock.
            Lock = 5,
            /// Waiting for its turn in an ordered region.
            Ordered = 6,
            /// Waiting for an atomic update that the runtime serialises.
            Atomic = 7,
            /// Waiting in taskwait or at the end of a taskgroup with no task to execute.
            TaskWait = 8,
            /// Waiting in a reduction.
            Reduction = 9,
            /// From the start of a parallel region to the start of the thread's implicit task in it.
            Fork = 10,
            /// From the end of the barrier that ends a parallel region to the end of the region.
            Join = 11,
            /// Creating explicit tasks, and fetching one that was ready.
            Tasking = 12,
        }

        impl State {
            /// All of them, by number.
            pub const ALL: [Self; 13] = [
                Self::Work,
                Self::Barrier,
                Self::ImplicitBarrier,
                Self::Serial,
                Self::Critical,
                Self::Lock,
                Self::Ordered,
                Self::Atomic,
                Self::TaskWait,
                Self::Reduction,
                Self::Fork,
                Self::Join,
                Self::Tasking,
            ];
        }
    };
}
