//! Names that have passed their check.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::kinds;

/// A name that breaks Kubernetes' rules, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} name {name:?}: {}", .problems.join("; "))]
pub struct NameError {
    /// `driver`, `pool`, `device` or `node`.
    pub what: &'static str,
    /// The refused name.
    pub name: String,
    /// Kubernetes' explanations, at least one.
    pub problems: Vec<String>,
}

/// A name type: cheap to clone, ordered and compared as text.
macro_rules! checked_name {
    ($(#[$doc:meta])* $name:ident, $what:literal, $validate:path) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks the name.
            pub fn new(name: impl AsRef<str>) -> Result<Self, NameError> {
                let name = name.as_ref();
                let problems = $validate(name);
                if problems.is_empty() {
                    Ok(Self(name.into()))
                } else {
                    Err(NameError { what: $what, name: name.to_owned(), problems })
                }
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(name: &str) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(name: String) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = NameError;

            fn try_from(name: &str) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }

        impl From<&$name> for String {
            fn from(name: &$name) -> Self {
                name.as_str().to_owned()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }
    };
}

checked_name!(
    /// The name of a DRA driver: `gpu.example.com`.
    DriverName, "driver", kinds::validate_driver_name
);
checked_name!(
    /// The name of a pool of devices, often that of a node; may hold slashes.
    PoolName, "pool", kinds::validate_pool_name
);
checked_name!(
    /// The name of a device in its pool: `gpu-0`.
    DeviceName, "device", kinds::validate_device_name
);
checked_name!(
    /// The name of a node.
    NodeName, "node", kinds::validate_node_name
);
