//! Who holds which device, kept up to date claim by claim.

use std::collections::BTreeMap;

use super::prepared::{Hold, PreparedClaim};

/// A claim that holds a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// `metadata.uid` of the claim.
    pub uid: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// How it holds the device.
    pub hold: Hold,
}

/// Devices that prepared claims of one driver hold. Adding or removing a claim costs only its own devices.
#[derive(Clone, Debug, Default)]
pub struct Held {
    devices: BTreeMap<(String, String), Vec<Holder>>,
    claims: BTreeMap<String, Vec<(String, String)>>,
}

impl Held {
    /// Nothing is held.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that the claims of a checkpoint hold.
    pub fn from_claims<'a>(claims: impl IntoIterator<Item = &'a PreparedClaim>) -> Self {
        let mut held = Self::new();
        for claim in claims {
            held.add(claim);
        }
        held
    }

    /// The claim holds its devices from now on. What the same uid held before is let go.
    pub fn add(&mut self, claim: &PreparedClaim) {
        self.remove(&claim.uid);
        let mut keys = Vec::with_capacity(claim.devices.len());
        for device in &claim.devices {
            let key = (device.pool.clone(), device.device.clone());
            self.devices.entry(key.clone()).or_default().push(Holder {
                uid: claim.uid.clone(),
                namespace: claim.namespace.clone(),
                name: claim.name.clone(),
                hold: device.hold,
            });
            keys.push(key);
        }
        self.claims.insert(claim.uid.clone(), keys);
    }

    /// The claim lets go of its devices; nothing happens when it holds none.
    pub fn remove(&mut self, uid: &str) {
        for key in self.claims.remove(uid).unwrap_or_default() {
            if let Some(holders) = self.devices.get_mut(&key) {
                holders.retain(|holder| holder.uid != uid);
                if holders.is_empty() {
                    self.devices.remove(&key);
                }
            }
        }
    }

    /// Whether a claim is known.
    pub fn contains(&self, uid: &str) -> bool {
        self.claims.contains_key(uid)
    }

    /// Devices of a pool that somebody holds.
    pub(super) fn in_pool<'a>(
        &'a self,
        pool: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a [Holder])> {
        self.devices
            .range((pool.to_owned(), String::new())..)
            .take_while(move |((of, _), _)| of == pool)
            .map(|((_, device), holders)| (device.as_str(), holders.as_slice()))
    }

    /// Claims that hold a device now.
    pub fn holders(&self, pool: &str, device: &str) -> &[Holder] {
        // A tuple of borrowed strings cannot look up a tuple of owned ones, hence the two short copies.
        self.devices
            .get(&(pool.to_owned(), device.to_owned()))
            .map_or(&[], Vec::as_slice)
    }
}
