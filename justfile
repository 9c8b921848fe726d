# Shortcuts for common tasks; anything longer than a line is in xtask or .ci/run.

_default:
    @just --list

# Run what CI runs: format, lints, tests, documentation
check:
    .ci/run

# Run all tests
test:
    cargo xtask test

# Measure discovery on a collection of your own
bench path:
    cargo xtask bench discover {{quote(path)}}

# Build the scripts of the server's pages (needs Node)
web:
    cargo xtask web

# Format the code
fmt:
    cargo fmt --all

# Check licences, sources and advisories of dependencies (needs cargo-deny)
deny:
    cargo deny check

# Open the documentation of all crates in a browser
doc:
    cargo doc --workspace --all-features --no-deps --open
