//! Tokens to chunks.
