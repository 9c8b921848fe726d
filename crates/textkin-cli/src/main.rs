//! The `textkin` command.

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t};

/// Gives memory back to the system soon, which the budget of `--memory` counts on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The option of the allocator that says for how many milliseconds free memory is kept (`mimalloc.h`;
/// the crate gives it no name).
const PURGE_DELAY: mi_option_t = 15;

/// Has free memory given back at once: it takes no more time, and a tenth less memory.
fn keep_nothing() {
    #[expect(unsafe_code, reason = "there is no safe form")]
    // SAFETY: the allocator writes the number into its table of options, in which this one is.
    unsafe {
        mi_option_set(PURGE_DELAY, 0);
    }
}

/// Has pages without anything in them given back too: of every size of which there was something large, one
/// is kept otherwise.
fn give_back() {
    #[expect(unsafe_code, reason = "there is no safe form")]
    // SAFETY: it gives back what is free, and may be called at any time.
    unsafe {
        mi_collect(true);
    }
}

fn main() -> std::process::ExitCode {
    keep_nothing();
    let given: Vec<_> = std::env::args_os().collect();
    textkin_cli::run(&given, textkin_cli::Relaunch { give_back, ..Default::default() }).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_the_one_that_is_meant() {
        #[expect(unsafe_code, reason = "there is no safe form")]
        // SAFETY: the allocator reads its table of options, in which this one is.
        let option = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        // So many milliseconds, if nobody says otherwise, in the two lines of versions that there are.
        assert!([10, 1000].contains(&option()), "{}", option());
        keep_nothing();
        assert_eq!(option(), 0);
    }
}
