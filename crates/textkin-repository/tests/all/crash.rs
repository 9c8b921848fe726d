//! Random changes with crashes, faults and full disks: a repository always equals its model before
//! or after a change, never something in between.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use textkin_core::IndexSegment;
use textkin_repository::{Disk, Error, Io, PreparedDocument, Repository, Writer, WriterSettings};

use crate::disk::{Fault, SimulatedDisk};
use crate::model::{Model, difference, entry, reindex, terms_of};

/// An operation on a repository.
#[derive(Clone, Debug)]
enum Step {
    /// Adds `n` documents of this size.
    Add {
        n: usize,
        size: usize,
        seed: u64,
    },
    /// Adds a document with an existing id.
    AddAgain(prop::sample::Index),
    Remove(prop::sample::Index),
    Replace(prop::sample::Index, u64),
    Commit,
    RollBack,
    Compact,
    /// Rewrites segments with removed documents.
    Erase,
    Merge,
    /// Drops the writer and opens another.
    Reopen,
    /// Opens a reader whose snapshot must not change.
    Read,
    /// Makes a later operation fail.
    Plan(u64, Fault),
    /// Stops the machine between two steps.
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fault =
        prop_oneof![Just(Fault::Broken), Just(Fault::Full), Just(Fault::Crash), Just(Fault::Crash)];
    let size = prop_oneof![6 => 0usize..40, 1 => 10_000usize..20_000, 1 => Just(140_000usize)];
    let step = prop_oneof![
        5 => (1usize..4, size, any::<u64>()).prop_map(|(n, size, seed)| Step::Add { n, size, seed }),
        1 => (70usize..90, any::<u64>()).prop_map(|(n, seed)| Step::Add { n, size: 4, seed }),
        1 => any::<prop::sample::Index>().prop_map(Step::AddAgain),
        3 => any::<prop::sample::Index>().prop_map(Step::Remove),
        2 => (any::<prop::sample::Index>(), any::<u64>()).prop_map(|(at, seed)| Step::Replace(at, seed)),
        8 => Just(Step::Commit),
        1 => Just(Step::RollBack),
        2 => Just(Step::Compact),
        2 => Just(Step::Erase),
        2 => Just(Step::Merge),
        2 => Just(Step::Reopen),
        2 => Just(Step::Read),
        4 => (0u64..60, fault).prop_map(|(after, fault)| Step::Plan(after, fault)),
        1 => Just(Step::Crash),
    ];
    prop::collection::vec(step, 1..30)
}

/// A repository under test, and its expected contents.
struct TestRun<'a> {
    io: Arc<dyn Io>,
    disk: Option<&'a SimulatedDisk>,
    folder: &'a Path,
    settings: WriterSettings,
    writer: Option<Writer>,
    committed: Model,
    pending: Model,
    readers: Vec<(Repository, Model)>,
    n_ids: usize,
    /// Determines what a crash leaves on disk.
    seed: u64,
}

type Outcome = Result<(), String>;

impl<'a> TestRun<'a> {
    fn new(
        io: Arc<dyn Io>,
        disk: Option<&'a SimulatedDisk>,
        folder: &'a Path,
        memory: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let settings = WriterSettings { memory, merge: 1 << 20 };
        let config = serde_json::json!({"made": "by a test"});
        let writer = Some(Writer::create(Arc::clone(&io), folder, config, settings)?);
        let (committed, pending, readers) = (Model::default(), Model::default(), Vec::new());
        Ok(Self { io, disk, folder, settings, writer, committed, pending, readers, n_ids: 0, seed })
    }

    fn writer(&mut self) -> Result<&mut Writer, Error> {
        if self.writer.is_none() {
            let io = Arc::clone(&self.io);
            self.writer = Some(Writer::open(io, self.folder, self.settings)?);
        }
        Ok(self.writer.as_mut().expect("the writer was opened"))
    }

    /// Runs a step. A failure must come from a planned fault, and leave all of the change or
    /// nothing.
    fn step(&mut self, step: &Step) -> Outcome {
        match self.try_step(step) {
            Ok(()) => Ok(()),
            Err(error) if self.disk.is_some_and(SimulatedDisk::has_failed) => {
                self.after_failure(step).map_err(|what| format!("after '{error}': {what}"))
            }
            Err(error) => Err(format!("{step:?} failed: {error}")),
        }
    }

    fn try_step(&mut self, step: &Step) -> Result<(), Error> {
        match step {
            Step::Add { n, size, seed } => {
                for number in 0..*n {
                    self.n_ids += 1;
                    let id = format!("d{}", self.n_ids);
                    self.add(entry(&id, seed.wrapping_add(number as u64), *size))?;
                }
                Ok(())
            }
            Step::AddAgain(at) if !self.pending.documents.is_empty() => {
                let again = at.get(&self.pending.documents).clone();
                match self.writer()?.add(&again) {
                    Err(Error::DuplicateId { .. }) => Ok(()),
                    Err(error) => Err(error),
                    Ok(()) => panic!("'{}' was added twice", again.id),
                }
            }
            Step::Remove(at) => self.remove(at).map(|_| ()),
            Step::Replace(at, seed) => match self.remove(at)? {
                Some(id) => self.add(entry(&id, *seed, 30)),
                None => Ok(()),
            },
            Step::Commit => self.commit(),
            Step::RollBack => {
                self.writer()?.roll_back();
                self.pending = self.committed.clone();
                Ok(())
            }
            Step::Compact => {
                self.writer()?.compact(&mut reindex)?;
                self.committed = self.pending.clone();
                self.check_state()
            }
            Step::Erase => {
                let writer = self.writer()?;
                writer.erase_removed(&mut reindex)?;
                let mut segments = writer.repository().segments().iter();
                assert!(segments.all(|own| own.n_live() == own.n_documents()));
                self.committed = self.pending.clone();
                self.check_state()
            }
            Step::Merge => {
                self.writer()?.merge(&mut reindex)?;
                self.committed = self.pending.clone();
                self.check_state()
            }
            Step::Reopen => {
                self.writer = None;
                self.pending = self.committed.clone();
                self.writer().map(|_| ())
            }
            Step::Read => {
                let reader = Repository::open(&*self.io, self.folder)?;
                self.readers.push((reader, self.committed.clone()));
                Ok(())
            }
            Step::Plan(after, fault) => {
                if let Some(disk) = self.disk {
                    disk.plan(*after, *fault);
                }
                Ok(())
            }
            Step::Crash | Step::AddAgain(_) => Ok(()),
        }
    }

    fn add(&mut self, entry: PreparedDocument) -> Result<(), Error> {
        self.writer()?.add(&entry)?;
        self.pending.documents.push(entry);
        Ok(())
    }

    /// Removes a committed document with the next commit.
    fn remove(&mut self, at: &prop::sample::Index) -> Result<Option<String>, Error> {
        let pending = &self.pending;
        let is_pending = |entry: &&PreparedDocument| pending.documents.contains(*entry);
        let live: Vec<&PreparedDocument> =
            self.committed.documents.iter().filter(is_pending).collect();
        if live.is_empty() {
            return Ok(None);
        }
        let removed: PreparedDocument = (*at.get(&live)).clone();
        let writer = self.writer()?;
        let address = writer.repository().find(&removed.id)?.expect("the document is committed");
        writer.remove(address, terms_of(&removed));
        assert!(!writer.contains(&removed.id)?, "the document is being removed");
        self.pending.remove(&removed.id);
        Ok(Some(removed.id))
    }

    fn commit(&mut self) -> Result<(), Error> {
        let n = self.pending.documents.len() as u64;
        let summary = self.writer()?.commit()?;
        assert_eq!(summary.documents, n, "the summary counts all documents");
        self.committed = self.pending.clone();
        self.check_state()
    }

    /// Checks that readers and the writer see the committed documents.
    fn check_state(&mut self) -> Result<(), Error> {
        let expected = self.committed.clone();
        difference(self.writer()?.repository(), &expected).map_err(Error::Reindex)?;
        difference(&Repository::open(&*self.io, self.folder)?, &expected).map_err(Error::Reindex)
    }

    /// Checks after a fault or a crash that the repository is in the state before or after the
    /// change.
    fn after_failure(&mut self, step: &Step) -> Outcome {
        let Some(disk) = self.disk else { return Err("a real disk failed".to_owned()) };
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        let is_change = matches!(step, Step::Commit | Step::Compact | Step::Erase | Step::Merge);
        // Half of the time the program continues after a fault, otherwise the power fails.
        let continues = self.seed >> 40 & 1 == 0;
        if let (true, Ok(())) = (continues, Repository::open(disk, self.folder).map(|_| ())) {
            disk.repair();
            let writer = self.writer.as_mut();
            let refuses = writer.is_some_and(|writer| {
                writer.roll_back();
                matches!(writer.add(&entry("probe", 1, 3)), Err(Error::Unfinished { .. }))
            });
            let state = self.reopened()?;
            // Compaction commits first: the commit may have succeeded and the rest failed.
            let may_continue = matches!(step, Step::Compact | Step::Erase | Step::Merge);
            let is_applied = state == self.pending && state != self.committed;
            if is_applied && !(is_change && (refuses || may_continue)) {
                return Err("a failed change was applied, and the writer continues".to_owned());
            }
            self.reset_to(state);
            if refuses {
                // The next writer syncs the manifest it finds.
                self.writer = None;
                self.writer().map_err(|error| error.to_string())?;
            } else if let Some(writer) = &mut self.writer {
                writer.roll_back();
            }
            return Ok(());
        }
        self.crash(disk, is_change)
    }

    /// Simulates several power failures at the same moment; each must leave all of the change or
    /// nothing.
    fn crash(&mut self, disk: &SimulatedDisk, is_change: bool) -> Outcome {
        for other in 0..2 {
            let twin = disk.snapshot();
            twin.crash(self.seed.wrapping_add(other));
            if self.check_after_crash(&twin)? != self.committed && !is_change {
                return Err("an uncommitted change was applied".to_owned());
            }
        }
        self.writer = None;
        self.readers.clear();
        disk.crash(self.seed);
        let state = self.check_after_crash(disk)?;
        if state != self.committed && !is_change {
            return Err("an uncommitted change was applied".to_owned());
        }
        self.reset_to(state);
        Ok(())
    }

    /// Checks a disk after a crash: the state is before or after the change, intact, and leftover
    /// files are removed by the next writer.
    fn check_after_crash(&self, disk: &SimulatedDisk) -> Result<Model, String> {
        let shown = |error: Error| error.to_string();
        let state = self.state_of(disk)?;
        let checked = Repository::check(disk, self.folder).map_err(shown)?;
        if !checked.errors.is_empty() {
            return Err(format!("damage: {:?}", checked.errors));
        }
        drop(Writer::open(Arc::new(disk.clone()), self.folder, self.settings).map_err(shown)?);
        let checked = Repository::check(disk, self.folder).map_err(shown)?;
        if !checked.leftover_files.is_empty() {
            return Err(format!("leftover files: {:?}", checked.leftover_files));
        }
        if checked.documents != state.documents.len() as u64 {
            return Err("the check counted a different number of documents".to_owned());
        }
        // The writer above synced the manifest it found.
        disk.crash(self.seed);
        match self.state_of(disk)? == state {
            true => Ok(state),
            false => Err("the state changed after another crash".to_owned()),
        }
    }

    fn reopened(&self) -> Result<Model, String> {
        self.state_of(self.disk.expect("only a simulated disk fails"))
    }

    fn state_of(&self, disk: &SimulatedDisk) -> Result<Model, String> {
        let reader =
            Repository::open(disk, self.folder).map_err(|error| format!("open: {error}"))?;
        let as_before = difference(&reader, &self.committed);
        match (&as_before, difference(&reader, &self.pending)) {
            (Ok(()), _) => Ok(self.committed.clone()),
            (_, Ok(())) => Ok(self.pending.clone()),
            (Err(before), Err(after)) => {
                Err(format!("neither before ({before}) nor after ({after})"))
            }
        }
    }

    fn reset_to(&mut self, state: Model) {
        self.committed = state;
        self.pending = self.committed.clone();
    }

    /// Checks that readers still see their snapshots.
    fn check_readers(&self) -> Outcome {
        self.readers.iter().try_for_each(|(reader, model)| difference(reader, model))
    }

    fn run(&mut self, steps: &[Step]) -> Outcome {
        for step in steps {
            match (step, self.disk) {
                (Step::Crash, Some(disk)) => self.crash(disk, false)?,
                _ => self.step(step)?,
            }
            if let Some(disk) = self.disk
                && disk.has_failed()
            {
                // A fault that was not reported, such as one while removing leftover files.
                self.crash(disk, false)?;
            }
        }
        self.check_readers()?;
        if let Some(disk) = self.disk {
            self.crash(disk, false)?;
            if let Some(violation) = disk.violations().first() {
                return Err(violation.clone());
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn changes_are_atomic_despite_faults(
        steps in steps(),
        memory in prop_oneof![Just(1usize << 26), Just(6000), Just(1)],
        seed in any::<u64>(),
    ) {
        let disk = SimulatedDisk::default();
        let folder = Path::new("/repository");
        let mut test = TestRun::new(Arc::new(disk.clone()), Some(&disk), folder, memory, seed)
            .expect("no fault is planned yet");
        if let Err(difference) = test.run(&steps) {
            return Err(TestCaseError::fail(difference));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn a_repository_on_a_real_disk_equals_the_model(steps in steps(), memory in prop_oneof![Just(1usize << 26), Just(6000)]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("made").join("repository");
        let mut test = TestRun::new(Arc::new(Disk), None, &path, memory, 0).expect("the folder is new");
        if let Err(difference) = test.run(&steps) {
            return Err(TestCaseError::fail(difference));
        }
    }
}

/// For every operation of a fixed sequence: a crash, a fault, and a full disk at this operation.
#[test]
fn every_operation_may_fail() {
    let index = |number: usize| {
        use proptest::strategy::ValueTree;
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut tree = any::<prop::sample::Index>().new_tree(&mut runner).expect("an index");
        for _ in 0..number {
            tree = any::<prop::sample::Index>().new_tree(&mut runner).expect("an index");
        }
        tree.current()
    };
    let add = |n, size, seed| Step::Add { n, size, seed };
    let sequence = [
        add(2, 20, 1),
        Step::Commit,
        add(1, 6000, 5),
        Step::Remove(index(1)),
        Step::Commit,
        Step::Replace(index(2), 8),
        Step::Commit,
        Step::Compact,
        Step::Reopen,
        Step::Remove(index(3)),
        Step::Commit,
    ];
    let folder = Path::new("/repository");
    let run = |disk: &SimulatedDisk, after, steps: &[Step]| {
        let io: Arc<dyn Io> = Arc::new(disk.clone());
        let mut test =
            TestRun::new(io, Some(disk), folder, 1 << 26, after).expect("the folder is new");
        test.run(steps)
    };
    // Count the operations without a fault.
    let disk = SimulatedDisk::default();
    let io: Arc<dyn Io> = Arc::new(disk.clone());
    let mut test = TestRun::new(io, None, folder, 1 << 26, 0).expect("the folder is new");
    let begin = disk.operations();
    assert_eq!(test.run(&sequence), Ok(()));
    let n_operations = disk.operations() - begin;
    assert!((50..1000).contains(&n_operations), "{n_operations} operations");
    for fault in [Fault::Crash, Fault::Broken, Fault::Full] {
        for after in 0..n_operations {
            let mut steps = vec![Step::Plan(after, fault)];
            steps.extend(sequence.iter().cloned());
            let result = run(&SimulatedDisk::default(), after, &steps);
            assert_eq!(result, Ok(()), "{fault:?} after {after} operations");
        }
    }
}

/// A crash during creation leaves an empty repository, or none, and creation can be repeated.
#[test]
fn creation_is_atomic() {
    let folder = Path::new("/repository");
    let create = |disk: &SimulatedDisk| {
        let config = serde_json::json!({"k": 3});
        Writer::create(Arc::new(disk.clone()), folder, config, WriterSettings::default())
    };
    for fault in [Fault::Crash, Fault::Broken, Fault::Full] {
        for (after, seed) in (0..20).flat_map(|after| (0..20).map(move |seed| (after, seed))) {
            let disk = SimulatedDisk::default();
            disk.plan(after, fault);
            let is_created = create(&disk).is_ok();
            disk.crash(seed);
            match Repository::open(&disk, folder) {
                Ok(repository) => assert_eq!(repository.n_documents(), 0),
                Err(Error::Missing { .. }) => {
                    assert!(!is_created, "the repository was created and is lost");
                    create(&disk).expect("creation can be repeated");
                }
                Err(error) => panic!("{fault:?} after {after}: {error}"),
            }
        }
    }
}
