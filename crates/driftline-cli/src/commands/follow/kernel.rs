//! What is asked of the operating system's kernel: that threads which adapt make way for those which answer.

/// How far a thread that adapts stands back (`nice`): beside a busy thread that answers, it gets a tenth of a core.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

/// From now on this thread, and those that it begins, make way for others. Elsewhere than on Linux nothing changes: there it
/// would hold for the whole process.
pub fn make_way() {
    #[cfg(target_os = "linux")]
    // SAFETY: `nice` takes a number and touches no memory of ours; a refusal is no harm.
    let _ = unsafe { libc::nice(STEPS) };
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn niceness() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let behind_name = stat.rsplit(')').next().unwrap();
        behind_name
            .split_whitespace()
            .nth(16)
            .unwrap()
            .parse()
            .unwrap()
    }

    #[test]
    fn the_thread_and_its_children_make_way_and_no_other() {
        let before = niceness();
        let inside = std::thread::spawn(|| {
            make_way();
            (niceness(), std::thread::spawn(niceness).join().unwrap())
        });
        let expected = (before + STEPS).min(19);
        assert_eq!(inside.join().unwrap(), (expected, expected));
        assert_eq!(niceness(), before);
    }
}
