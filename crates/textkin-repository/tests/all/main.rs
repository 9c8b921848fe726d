//! Reliability tests of repositories: crashes, faults and full disks ([`crash`]), damaged files
//! ([`damage`]), concurrent writers and readers ([`concurrency`]), and `kill -9` ([`killed`]).

mod concurrency;
mod crash;
mod damage;
mod disk;
mod killed;
mod model;
