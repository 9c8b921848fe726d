# Short names for what is done often; everything longer than a line lives in xtask or .ci/run.

_default:
    @just --list

# What CI runs: format, lints, tests, documentation
check:
    .ci/run

# All tests
test:
    cargo xtask test

# Speed and memory of discovery on a collection of your own
bench path:
    cargo xtask bench discover {{quote(path)}}

# The scripts of the server's pages (needs Node)
web:
    cargo xtask web

# Formats the code
fmt:
    cargo fmt --all

# Licences, sources and known faults of dependencies (needs cargo-deny)
deny:
    cargo deny check

# The documentation of all crates, in a browser
doc:
    cargo doc --workspace --no-deps --open
