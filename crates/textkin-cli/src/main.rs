//! The `textkin` command.

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t};

/// Returns memory to the system quickly, which `--memory` relies on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The allocator option for how many milliseconds free memory is kept (`mimalloc.h`; the crate does not
/// name it).
const PURGE_DELAY: mi_option_t = 15;

/// Makes the allocator return free memory at once: this costs no time and saves a tenth of the memory.
fn release_memory_at_once() {
    #[expect(unsafe_code, reason = "the crate has no safe wrapper")]
    // SAFETY: the allocator writes the number into its option table, which contains this option.
    unsafe {
        mi_option_set(PURGE_DELAY, 0);
    }
}

/// Returns empty pages too: otherwise the allocator keeps one page of each large size that was used.
fn release_memory() {
    #[expect(unsafe_code, reason = "the crate has no safe wrapper")]
    // SAFETY: this releases free memory only and may be called at any time.
    unsafe {
        mi_collect(true);
    }
}

fn main() -> std::process::ExitCode {
    release_memory_at_once();
    let arguments: Vec<_> = std::env::args_os().collect();
    textkin_cli::run(&arguments, textkin_cli::Relaunch { release_memory, ..Default::default() })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purge_delay_is_the_right_option() {
        #[expect(unsafe_code, reason = "the crate has no safe wrapper")]
        // SAFETY: the allocator reads its option table, which contains this option.
        let option = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        // The default in milliseconds of the two release lines of mimalloc.
        assert!([10, 1000].contains(&option()), "{}", option());
        release_memory_at_once();
        assert_eq!(option(), 0);
    }
}
