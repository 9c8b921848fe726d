//! Whether a repository can be trusted: with crashes, faults and full disks ([`crash`]), with damaged
//! files ([`damage`]), with other writers and readers ([`company`]), and with `kill -9` ([`killed`]).

mod company;
mod crash;
mod damage;
mod disk;
mod killed;
mod model;
