//! Compiled CEL programs, by expression.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use drakit_cel::{CompileError, Options, Program};

/// How many programs a [`CelCache`] holds unless told otherwise.
pub const DEFAULT_CAPACITY: usize = 1024;

/// Compiled CEL programs, shared by all allocations.
///
/// Expressions were checked against the feature gates when they were stored; here,
/// as in Kubernetes, everything that any version knows may be used.
///
/// Only programs that compile are kept. When it is full, the oldest goes.
#[derive(Debug)]
pub struct CelCache {
    options: Options,
    capacity: usize,
    programs: Mutex<Programs>,
}

#[derive(Debug, Default)]
struct Programs {
    by_expression: HashMap<(Kind, Arc<str>), Arc<Program>>,
    oldest: VecDeque<(Kind, Arc<str>)>,
}

/// What an expression is for; it decides which result types are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Selector,
    DerivedAttribute,
}

impl CelCache {
    /// An empty cache of [`DEFAULT_CAPACITY`].
    pub fn new() -> Self {
        Self::with_capacity(DEFAULT_CAPACITY)
    }

    /// An empty cache of at most `capacity` programs (at least one).
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            options: Options::STORED,
            capacity: capacity.max(1),
            programs: Mutex::default(),
        }
    }

    /// The program of a selector expression.
    pub fn selector(&self, expression: &str) -> Result<Arc<Program>, CompileError> {
        self.get(Kind::Selector, expression)
    }

    /// The program of a derived attribute's expression.
    pub fn derived_attribute(&self, expression: &str) -> Result<Arc<Program>, CompileError> {
        self.get(Kind::DerivedAttribute, expression)
    }

    fn get(&self, kind: Kind, expression: &str) -> Result<Arc<Program>, CompileError> {
        let key = (kind, Arc::from(expression));
        if let Some(program) = self.lock().by_expression.get(&key) {
            return Ok(Arc::clone(program));
        }
        // Compiled without the lock: two threads may do it twice, with one result.
        let program = Arc::new(match kind {
            Kind::Selector => Program::compile(expression, &self.options)?,
            Kind::DerivedAttribute => Program::compile_attribute(expression, &self.options)?,
        });
        self.insert(key, &program);
        Ok(program)
    }

    fn insert(&self, key: (Kind, Arc<str>), program: &Arc<Program>) {
        let mut programs = self.lock();
        if programs
            .by_expression
            .insert(key.clone(), Arc::clone(program))
            .is_some()
        {
            return;
        }
        programs.oldest.push_back(key);
        if programs.oldest.len() > self.capacity
            && let Some(oldest) = programs.oldest.pop_front()
        {
            programs.by_expression.remove(&oldest);
        }
    }

    /// A panic of another thread cannot leave the map half changed.
    fn lock(&self) -> MutexGuard<'_, Programs> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for CelCache {
    fn default() -> Self {
        Self::new()
    }
}
