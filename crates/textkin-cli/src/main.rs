//! The `textkin` command.

/// Gives memory back to the system soon, which the budget of `--memory` counts on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    textkin_cli::run(&given, textkin_cli::Own::default()).into()
}
