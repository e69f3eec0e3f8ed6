//! How the allocator looks up device classes.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::DeviceClass;

/// The device classes of the cluster, by name.
pub trait Classes {
    /// The class with this name, if there is one.
    fn class(&self, name: &str) -> Option<&DeviceClass>;
}

impl<K: Borrow<str> + Ord> Classes for BTreeMap<K, DeviceClass> {
    fn class(&self, name: &str) -> Option<&DeviceClass> {
        self.get(name)
    }
}

impl<K: Borrow<str> + Ord> Classes for BTreeMap<K, Arc<DeviceClass>> {
    fn class(&self, name: &str) -> Option<&DeviceClass> {
        self.get(name).map(AsRef::as_ref)
    }
}

impl<K, S> Classes for HashMap<K, DeviceClass, S>
where
    K: Borrow<str> + Eq + std::hash::Hash,
    S: BuildHasher,
{
    fn class(&self, name: &str) -> Option<&DeviceClass> {
        self.get(name)
    }
}

impl<K, S> Classes for HashMap<K, Arc<DeviceClass>, S>
where
    K: Borrow<str> + Eq + std::hash::Hash,
    S: BuildHasher,
{
    fn class(&self, name: &str) -> Option<&DeviceClass> {
        self.get(name).map(AsRef::as_ref)
    }
}

impl Classes for Vec<DeviceClass> {
    fn class(&self, name: &str) -> Option<&DeviceClass> {
        self.iter()
            .find(|class| class.metadata.name.as_deref() == Some(name))
    }
}
