//! Addresses of pods and nodes.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use parking_lot::Mutex;

/// First address of the pod network, `10.244.0.0/15`: kind's, made wider.
const POD_NETWORK: u32 = u32::from_be_bytes([10, 244, 0, 0]);
/// Its size.
const POD_ADDRESSES: u32 = 1 << 17;
/// First node address, kind's.
const FIRST_NODE: u32 = u32::from_be_bytes([172, 18, 0, 2]);

/// Gives every pod an address of its own.
#[derive(Debug, Default)]
pub(crate) struct PodNetwork(Mutex<InUse>);

#[derive(Debug, Default)]
struct InUse {
    last: u32,
    taken: BTreeSet<u32>,
}

impl PodNetwork {
    /// The next free address. They come round late, so that an old one is not soon another pod's.
    /// `None` when all are taken.
    pub(crate) fn take(&self) -> Option<Ipv4Addr> {
        let state = &mut *self.0.lock();
        for _ in 0..POD_ADDRESSES {
            // .0 and .1 of the network are left out.
            state.last = state.last % (POD_ADDRESSES - 2) + 1;
            if state.taken.insert(state.last) {
                return Some(Ipv4Addr::from(POD_NETWORK + 1 + state.last));
            }
        }
        None
    }

    /// Notes that a pod has `address` already.
    pub(crate) fn keep(&self, address: &str) {
        if let Some(number) = number(address) {
            self.0.lock().taken.insert(number);
        }
    }

    pub(crate) fn give_back(&self, address: &str) {
        if let Some(number) = number(address) {
            self.0.lock().taken.remove(&number);
        }
    }
}

fn number(address: &str) -> Option<u32> {
    let address: Ipv4Addr = address.parse().ok()?;
    u32::from(address)
        .checked_sub(POD_NETWORK + 1)
        .filter(|n| *n < POD_ADDRESSES)
}

/// The address of the node that was added as number `index`.
pub(crate) fn of_node(index: u32) -> Ipv4Addr {
    Ipv4Addr::from(FIRST_NODE.wrapping_add(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_unique_and_come_back_late() {
        let network = PodNetwork::default();
        assert_eq!(network.take().unwrap().to_string(), "10.244.0.2");
        assert_eq!(network.take().unwrap().to_string(), "10.244.0.3");
        network.give_back("10.244.0.2");
        network.keep("10.244.0.4");
        assert_eq!(network.take().unwrap().to_string(), "10.244.0.5");
        assert_eq!(of_node(299).to_string(), "172.18.1.45");
    }
}
