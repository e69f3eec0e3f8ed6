//! Sets of field paths (structured-merge-diff `fieldpath.Set`).
//!
//! A path element is kept in its serialized form: `f:name`, `k:{"name":"a"}`, `v:"x"`. Texts
//! sort as Kubernetes sorts elements (fields, keys, values), and need no parsing to compare.

use std::{collections::BTreeMap, sync::Arc};

/// One element of a path, serialized.
pub(super) type Element = Arc<str>;

/// A set of paths, as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    entries: BTreeMap<Element, Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    /// The path that ends here is in the set.
    member: bool,
    /// Paths that go on from here.
    below: Set,
}

/// The element of a field or map key.
pub(super) fn field_element(name: &str) -> Element {
    format!("f:{name}").into()
}

impl Set {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a path; the empty one is never tracked.
    pub(super) fn insert(&mut self, path: &[Element]) {
        if let Some((first, rest)) = path.split_first() {
            let entry = self.entries.entry(first.clone()).or_default();
            if rest.is_empty() {
                entry.member = true;
            } else {
                entry.below.insert(rest);
            }
        }
    }

    /// A set of plain field paths.
    pub(super) fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: Vec<Element> = path.iter().map(|name| field_element(name)).collect();
            set.insert(&path);
        }
        set
    }

    /// Whether a path of one element is in the set.
    pub(super) fn has(&self, element: &str) -> bool {
        self.entries.get(element).is_some_and(|entry| entry.member)
    }

    /// Whether a path is in the set.
    pub(super) fn contains(&self, path: &[Element]) -> bool {
        match path.split_first() {
            None => false,
            Some((last, [])) => self.has(last),
            Some((first, rest)) => self.below(first).is_some_and(|below| below.contains(rest)),
        }
    }

    /// What goes on from an element.
    pub(super) fn below(&self, element: &str) -> Option<&Set> {
        self.entries
            .get(element)
            .map(|entry| &entry.below)
            .filter(|below| !below.is_empty())
    }

    /// Elements with whether they are members and what goes on from them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Element, bool, &Set)> {
        self.entries
            .iter()
            .map(|(element, entry)| (element, entry.member, &entry.below))
    }

    pub(super) fn insert_entry(&mut self, element: Element, member: bool, below: Set) {
        if member || !below.is_empty() {
            self.entries.insert(element, Entry { member, below });
        }
    }

    pub(super) fn union(&self, other: &Set) -> Set {
        let mut union = self.clone();
        for (element, member, below) in other.iter() {
            let entry = union.entries.entry(element.clone()).or_default();
            entry.member |= member;
            entry.below = entry.below.union(below);
        }
        union
    }

    pub(super) fn intersection(&self, other: &Set) -> Set {
        let mut common = Set::default();
        for (element, entry) in &self.entries {
            if let Some(theirs) = other.entries.get(element) {
                let below = entry.below.intersection(&theirs.below);
                common.insert_entry(element.clone(), entry.member && theirs.member, below);
            }
        }
        common
    }

    /// Without the paths of `other`; what lies below such a path stays.
    pub(super) fn difference(&self, other: &Set) -> Set {
        let mut rest = Set::default();
        for (element, entry) in &self.entries {
            let theirs = other.entries.get(element);
            let below = theirs.map_or_else(
                || entry.below.clone(),
                |theirs| entry.below.difference(&theirs.below),
            );
            rest.insert_entry(
                element.clone(),
                entry.member && !theirs.is_some_and(|theirs| theirs.member),
                below,
            );
        }
        rest
    }

    /// Without the paths of `other` and all that lies below them.
    pub(super) fn recursive_difference(&self, other: &Set) -> Set {
        let mut rest = Set::default();
        for (element, entry) in &self.entries {
            match other.entries.get(element) {
                Some(theirs) if theirs.member => {}
                Some(theirs) => {
                    let below = entry.below.recursive_difference(&theirs.below);
                    rest.insert_entry(element.clone(), entry.member, below);
                }
                None => rest.insert_entry(element.clone(), entry.member, entry.below.clone()),
            }
        }
        rest
    }

    /// Every path: members of a level first, then what goes on from each.
    pub(super) fn paths(&self) -> Vec<Vec<Element>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, prefix: &mut Vec<Element>, into: &mut Vec<Vec<Element>>) {
        for (element, member, _) in self.iter() {
            if member {
                let mut path = prefix.clone();
                path.push(element.clone());
                into.push(path);
            }
        }
        for (element, _, below) in self.iter() {
            prefix.push(element.clone());
            below.collect(prefix, into);
            prefix.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Set;

    fn set(paths: &[&str]) -> Set {
        let paths: Vec<Vec<&str>> = paths.iter().map(|path| path.split('.').collect()).collect();
        let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
        Set::of_fields(&paths)
    }

    #[test]
    fn sets_are_united_intersected_and_subtracted_by_path() {
        assert_eq!(
            set(&["a.b", "c"]).union(&set(&["a", "a.b"])),
            set(&["a", "a.b", "c"])
        );
        assert_eq!(
            set(&["a.b", "c"]).intersection(&set(&["a", "a.b"])),
            set(&["a.b"])
        );
        assert_eq!(
            set(&["a", "a.b", "c"]).difference(&set(&["a", "c.d"])),
            set(&["a.b", "c"])
        );
        assert_eq!(
            set(&["a", "a.b", "c.d"]).recursive_difference(&set(&["a"])),
            set(&["c.d"])
        );
        assert!(set(&["a"]).difference(&set(&["a"])).is_empty());
    }
}
