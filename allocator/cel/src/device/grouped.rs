//! Values under qualified names, grouped by domain.

/// Values by domain and identifier. A domain without values does not exist.
///
/// Sorted vectors: a device has at most 32 attributes and capacities, so a search by halves in a
/// contiguous vector is faster than hashing, and the order is the same everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouped<T> {
    domains: Vec<(String, Vec<(String, T)>)>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self {
            domains: Vec::new(),
        }
    }
}

impl<T> Grouped<T> {
    /// Sets the value of `domain/id`, replacing the one before.
    pub fn insert(&mut self, domain: &str, id: &str, value: T) {
        let at = match self
            .domains
            .binary_search_by(|(name, _)| name.as_str().cmp(domain))
        {
            Ok(at) => at,
            Err(at) => {
                self.domains.insert(at, (domain.to_owned(), Vec::new()));
                at
            }
        };
        let group = &mut self.domains[at].1;
        match group.binary_search_by(|(name, _)| name.as_str().cmp(id)) {
            Ok(at) => group[at].1 = value,
            Err(at) => group.insert(at, (id.to_owned(), value)),
        }
    }

    /// All values of a domain, sorted by identifier; none when the domain does not exist.
    pub fn domain(&self, domain: &str) -> &[(String, T)] {
        // A device has one to three domains: comparing in turn beats halving.
        self.domains
            .iter()
            .find(|(name, _)| name == domain)
            .map_or(&[], |(_, group)| group.as_slice())
    }

    /// Whether any value has this domain.
    pub fn has_domain(&self, domain: &str) -> bool {
        self.domains.iter().any(|(name, _)| name == domain)
    }

    /// The value of `domain/id`.
    pub fn get(&self, domain: &str, id: &str) -> Option<&T> {
        find(self.domain(domain), id)
    }

    /// The domains in order.
    pub fn domains(&self) -> impl ExactSizeIterator<Item = (&str, &[(String, T)])> {
        self.domains
            .iter()
            .map(|(name, group)| (name.as_str(), group.as_slice()))
    }

    /// Everything, in order, as (domain, identifier, value).
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str, &T)> {
        self.domains.iter().flat_map(|(domain, group)| {
            group
                .iter()
                .map(move |(id, value)| (domain.as_str(), id.as_str(), value))
        })
    }

    /// How many domains there are.
    pub fn domain_count(&self) -> usize {
        self.domains.len()
    }

    /// The domain at `index` in order.
    pub(crate) fn domain_at(&self, index: usize) -> Option<(&str, &[(String, T)])> {
        self.domains
            .get(index)
            .map(|(name, group)| (name.as_str(), group.as_slice()))
    }
}

/// The value of `id` in a group sorted by identifier.
pub(crate) fn find<'a, T>(group: &'a [(String, T)], id: &str) -> Option<&'a T> {
    group
        .binary_search_by(|(name, _)| name.as_str().cmp(id))
        .ok()
        .and_then(|at| group.get(at))
        .map(|(_, value)| value)
}
