//! What to write so that one pool is as desired. Pure.
//!
//! The rules are those of `syncPool` in
//! k8s.io/dynamic-resource-allocation/resourceslice/resourceslicecontroller.go,
//! because consumers are written against what that helper does.

use std::collections::BTreeMap;

use crate::digest::Digest;

/// Length of the index at the start of a slice's name, in hexadecimal digits.
/// The allocator takes slices in the order of their names.
const INDEX_LENGTH: usize = 5;

/// One slice as the API server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) resource_version: String,
    pub(crate) generation: i64,
    pub(crate) slice_count: i64,
    pub(crate) digest: Digest,
    /// UID of the Node that owns it as controller.
    pub(crate) owner_uid: Option<String>,
}

/// One slice as it should be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// What is sent.
    pub(crate) sent: Digest,
    /// What the server made of it when it was last sent: fields of disabled
    /// features are dropped silently, and sending them again would never end.
    pub(crate) kept: Option<Digest>,
}

impl Wanted {
    fn is_met_by(self, stored: Digest) -> bool {
        self.sent.is_met_by(stored) || self.kept.is_some_and(|kept| kept.is_met_by(stored))
    }
}

/// The writes for one pool, in this order: deletes, updates, creates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Writes {
    /// Generation that every slice has afterwards.
    pub(crate) generation: i64,
    /// Obsolete slices.
    pub(crate) delete: Vec<Stored>,
    /// Slices to bring to the desired content, with their index.
    pub(crate) update: Vec<(usize, Stored)>,
    /// Indices of slices that do not exist.
    pub(crate) create: Vec<usize>,
}

impl Writes {
    pub(crate) fn is_empty(&self) -> bool {
        self.delete.is_empty() && self.update.is_empty() && self.create.is_empty()
    }
}

/// Decides the writes.
///
/// `last_generation` is the highest one this process ever gave the pool: a
/// pool whose slices were all wiped does not start at 1 again.
/// `owner_uid` is the UID that owns node-local slices, when it is known.
pub(crate) fn plan(
    wanted: &[Wanted],
    stored: &[Stored],
    owner_uid: Option<&str>,
    last_generation: i64,
) -> Writes {
    let highest = stored
        .iter()
        .map(|slice| slice.generation)
        .max()
        .unwrap_or(0);
    let width = index_length(wanted.len());
    let mut current: BTreeMap<usize, &Stored> = BTreeMap::new();
    let mut delete = Vec::new();
    for slice in stored {
        let index = decode_index(&slice.name, width).filter(|index| *index < wanted.len());
        match index {
            Some(index) if slice.generation == highest && !current.contains_key(&index) => {
                current.insert(index, slice);
            }
            _ => delete.push(slice.clone()),
        }
    }
    let create: Vec<usize> = (0..wanted.len())
        .filter(|i| !current.contains_key(i))
        .collect();
    let is_current = |index: &usize, slice: &Stored| {
        usize::try_from(slice.slice_count) == Ok(wanted.len())
            && wanted[*index].is_met_by(slice.digest)
            && owner_uid.is_none_or(|uid| slice.owner_uid.as_deref() == Some(uid))
    };
    let changed = current
        .iter()
        .filter(|(index, slice)| !is_current(index, slice))
        .count();

    // One update by itself is atomic: no consumer can see half of the change.
    let keep_generation = create.is_empty() && changed <= 1;
    let generation = if keep_generation {
        highest
    } else {
        highest.max(last_generation) + 1
    };
    let update = current
        .iter()
        .filter(|(index, slice)| !keep_generation || !is_current(index, slice))
        .map(|(index, slice)| (*index, (*slice).clone()))
        .collect();
    Writes {
        generation,
        delete,
        update,
        create,
    }
}

/// `generateName` of the slice with this index:
/// `<index>-<driver>-[<node>-]`; the API server adds five random characters.
pub(crate) fn generate_name(
    index: usize,
    count: usize,
    driver: &str,
    node: Option<&str>,
) -> String {
    let width = index_length(count);
    match node {
        Some(node) => format!("{index:0width$x}-{driver}-{node}-"),
        None => format!("{index:0width$x}-{driver}-"),
    }
}

/// All indices of a pool have the same length, so that names sort by index.
fn index_length(count: usize) -> usize {
    format!("{:x}", count.saturating_sub(1))
        .len()
        .max(INDEX_LENGTH)
}

fn decode_index(name: &str, width: usize) -> Option<usize> {
    let (index, _) = name.split_once('-')?;
    let digits = index
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (index.len() == width && digits).then(|| usize::from_str_radix(index, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use drakit_api::k8s::api::resource::v1::ResourceSliceSpec;

    fn digest(text: &str) -> Digest {
        Digest::of(&ResourceSliceSpec {
            driver: text.to_owned(),
            ..ResourceSliceSpec::default()
        })
    }

    fn wanted(text: &str) -> Wanted {
        Wanted {
            sent: digest(text),
            kept: None,
        }
    }

    fn stored(index: usize, generation: i64, count: i64, text: &str) -> Stored {
        Stored {
            name: format!("{index:05x}-gpu.example.com-n1-x{index}g{generation}"),
            uid: format!("uid-{index}-{generation}"),
            resource_version: "5".into(),
            generation,
            slice_count: count,
            digest: digest(text),
            owner_uid: Some("node-uid".into()),
        }
    }

    #[test]
    fn an_absent_pool_is_created_with_generation_one() {
        let writes = plan(&[wanted("a"), wanted("b")], &[], Some("node-uid"), 0);
        assert_eq!((writes.generation, writes.create), (1, vec![0, 1]));
    }

    #[test]
    fn a_pool_that_is_right_needs_nothing() {
        let slices = [stored(0, 3, 2, "a"), stored(1, 3, 2, "b")];
        let writes = plan(&[wanted("a"), wanted("b")], &slices, Some("node-uid"), 3);
        assert!(writes.is_empty(), "{writes:?}");
        assert_eq!(writes.generation, 3);
    }

    #[test]
    fn one_changed_slice_keeps_the_generation() {
        let slices = [stored(0, 3, 2, "a"), stored(1, 3, 2, "foreign")];
        let writes = plan(&[wanted("a"), wanted("b")], &slices, Some("node-uid"), 3);
        assert_eq!(writes.generation, 3);
        assert_eq!(writes.update, vec![(1, slices[1].clone())]);
    }

    #[test]
    fn two_changed_slices_bump_the_generation_of_all() {
        let slices = [
            stored(0, 3, 3, "a"),
            stored(1, 3, 3, "x"),
            stored(2, 3, 3, "y"),
        ];
        let wanted = [wanted("a"), wanted("b"), wanted("c")];
        let writes = plan(&wanted, &slices, Some("node-uid"), 3);
        assert_eq!((writes.generation, writes.update.len()), (4, 3));
    }

    #[test]
    fn a_missing_slice_bumps_the_others_past_every_known_generation() {
        let writes = plan(
            &[wanted("a"), wanted("b")],
            &[stored(0, 3, 2, "a")],
            None,
            9,
        );
        assert_eq!(writes.generation, 10);
        assert_eq!((writes.update.len(), writes.create), (1, vec![1]));
    }

    #[test]
    fn old_generations_strange_names_and_duplicates_are_deleted() {
        let mut strange = stored(0, 3, 1, "a");
        strange.name = "gpu.example.com-n1-old".into();
        let mut double = stored(0, 3, 1, "a");
        double.name.push('b');
        let slices = [
            stored(0, 3, 1, "a"),
            double.clone(),
            strange.clone(),
            stored(0, 2, 1, "a"),
        ];
        let writes = plan(&[wanted("a")], &slices, Some("node-uid"), 3);
        assert_eq!(writes.delete, [double, strange, slices[3].clone()]);
        assert!(writes.update.is_empty() && writes.create.is_empty());
    }

    #[test]
    fn what_the_server_kept_counts_as_published() {
        let want = Wanted {
            sent: digest("with taints"),
            kept: Some(digest("without")),
        };
        assert!(plan(&[want], &[stored(0, 1, 1, "without")], None, 1).is_empty());
    }

    #[test]
    fn a_lost_owner_reference_is_restored() {
        let mut orphan = stored(0, 1, 1, "a");
        orphan.owner_uid = None;
        let writes = plan(&[wanted("a")], &[orphan], Some("node-uid"), 1);
        assert_eq!(writes.update.len(), 1);
    }

    #[test]
    fn names_sort_by_index_in_pools_of_any_size() {
        assert_eq!(generate_name(10, 11, "d", Some("n")), "0000a-d-n-");
        assert_eq!(generate_name(1, 0x10_0001, "d", None), "000001-d-");
        assert_eq!(decode_index("0000a-d-n-xyz", 5), Some(10));
        assert_eq!(decode_index("0000A-d-n-xyz", 5), None);
        assert_eq!(decode_index("+000a-d", 5), None);
    }
}
