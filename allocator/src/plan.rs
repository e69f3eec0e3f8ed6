//! What the claims ask for, checked before the search starts.

use k8s_openapi::api::resource::v1::{DeviceClass, DeviceRequest, ResourceClaim};

use crate::capacity::{self, CapacityRequests};
use crate::constraint::Constraint;
use crate::error::{AllocateError, RequestProblem};
use crate::features::{Channel, Features};
use crate::input::Input;
use crate::inventory::{NodePools, Place, PoolState};
use crate::request::{Mode, RequestView};
use crate::selection::Selection;

/// The most devices that the result of one claim can hold
/// (`AllocationResultsMaxSize` of `k8s.io/api/resource/v1`).
pub const MAX_RESULTS: usize = 32;

/// A claim to allocate.
pub(crate) struct ClaimPlan<'a> {
    pub(crate) claim: &'a ResourceClaim,
    pub(crate) requests: Vec<RequestPlan<'a>>,
    pub(crate) constraints: Vec<Constraint<'a>>,
}

/// A request, with its alternatives in order of preference.
pub(crate) struct RequestPlan<'a> {
    pub(crate) source: &'a DeviceRequest,
    /// Whether the alternatives are subrequests; else there is exactly one.
    pub(crate) has_subrequests: bool,
    pub(crate) alternatives: Vec<Alternative<'a>>,
    /// The alternative of the solution.
    pub(crate) selected: usize,
}

/// A request without alternatives, or one of the alternatives.
pub(crate) struct Alternative<'a> {
    pub(crate) view: RequestView<'a>,
    pub(crate) class: &'a DeviceClass,
    pub(crate) capacity: CapacityRequests,
    pub(crate) amount: DeviceAmount,
    pub(crate) selection: Selection<'a>,
}

/// Which or how many devices are needed.
pub(crate) enum DeviceAmount {
    Exact(usize),
    All(Vec<Place>),
}

impl DeviceAmount {
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Exact(count) => *count,
            Self::All(devices) => devices.len(),
        }
    }
}

/// `namespace/name` as in log messages and errors.
pub(crate) fn claim_name(claim: &ResourceClaim) -> String {
    let name = claim.metadata.name.as_deref().unwrap_or_default();
    match claim.metadata.namespace.as_deref() {
        None | Some("") => name.to_owned(),
        Some(namespace) => format!("{namespace}/{name}"),
    }
}

impl<'a> ClaimPlan<'a> {
    pub(crate) fn new(
        input: &Input<'a>,
        pools: &NodePools,
        claim: &'a ResourceClaim,
    ) -> Result<Self, AllocateError> {
        let devices = claim.spec.as_ref().and_then(|spec| spec.devices.as_ref());
        let mut requests = Vec::new();
        let mut least = 0;
        for request in devices
            .iter()
            .flat_map(|devices| devices.requests.iter().flatten())
        {
            let plan = RequestPlan::new(input, pools, claim, request)?;
            least += plan.check_limit(claim, least)?;
            requests.push(plan);
        }
        let constraints = devices
            .iter()
            .flat_map(|devices| devices.constraints.iter().flatten())
            .enumerate()
            .map(|(index, constraint)| {
                Constraint::new(constraint, input.features).ok_or_else(|| {
                    AllocateError::UnknownConstraint {
                        claim: claim_name(claim),
                        index,
                    }
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            claim,
            requests,
            constraints,
        })
    }
}

impl<'a> RequestPlan<'a> {
    fn new(
        input: &Input<'a>,
        pools: &NodePools,
        claim: &'a ResourceClaim,
        source: &'a DeviceRequest,
    ) -> Result<Self, AllocateError> {
        let views = RequestView::alternatives(source);
        let has_subrequests = views.iter().any(|view| view.parent.is_some());
        check_gates(input.features, claim, source, has_subrequests)?;
        let alternatives = views
            .into_iter()
            .map(|view| Alternative::new(input, pools, claim, view))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            source,
            has_subrequests,
            alternatives,
            selected: 0,
        })
    }

    /// The alternative of the solution.
    pub(crate) fn selected(&self) -> Option<&Alternative<'a>> {
        self.alternatives.get(self.selected)
    }

    /// How many devices the smallest alternative takes, if the claim has room for
    /// them beside the `before` devices of earlier requests.
    fn check_limit(&self, claim: &ResourceClaim, before: usize) -> Result<usize, AllocateError> {
        let counts = self.alternatives.iter().map(|each| each.amount.count());
        let adding = counts.min().unwrap_or_default();
        if adding > MAX_RESULTS - before {
            let problem = RequestProblem::TooManyDevices {
                adding,
                limit: MAX_RESULTS,
                before,
            };
            return Err(request_error(claim, &self.source.name, problem));
        }
        Ok(adding)
    }
}

/// Refuses what a switched-off feature would silently ignore.
fn check_gates(
    features: Features,
    claim: &ResourceClaim,
    request: &DeviceRequest,
    has_subrequests: bool,
) -> Result<(), AllocateError> {
    let error = |problem| Err(request_error(claim, &request.name, problem));
    if has_subrequests && !features.prioritized_list {
        return error(RequestProblem::SubrequestsDisabled);
    }
    // The stable allocator predates capacity requests and ignores them.
    if features.consumable_capacity || features.channel() == Channel::Stable {
        return Ok(());
    }
    let exactly = request.exactly.as_ref();
    if exactly.is_some_and(|exactly| exactly.capacity.is_some()) {
        return error(RequestProblem::CapacityDisabled);
    }
    let mut subrequests = request.first_available.iter().flatten();
    match subrequests.find(|subrequest| subrequest.capacity.is_some()) {
        None => Ok(()),
        Some(subrequest) => Err(AllocateError::SubrequestCapacity {
            claim: claim_name(claim),
            subrequest: subrequest.name.clone(),
        }),
    }
}

/// An error about a request, by its own name.
pub(crate) fn request_error(
    claim: &ResourceClaim,
    request: &str,
    problem: RequestProblem,
) -> AllocateError {
    AllocateError::Request {
        claim: claim_name(claim),
        request: request.to_owned(),
        problem: Box::new(problem),
    }
}

impl<'a> Alternative<'a> {
    fn new(
        input: &Input<'a>,
        pools: &NodePools,
        claim: &'a ResourceClaim,
        view: RequestView<'a>,
    ) -> Result<Self, AllocateError> {
        let error = |problem| request_error(claim, view.name, problem);
        if !view.derived_attributes.is_empty() && !input.features.derived_attributes {
            return Err(error(RequestProblem::DerivedAttributesDisabled));
        }
        let unknown = view.selectors.iter().position(|each| each.cel.is_none());
        if let Some(index) = unknown {
            return Err(AllocateError::UnknownSelector {
                claim: claim_name(claim),
                request: view.name.to_owned(),
                index,
            });
        }
        if view.admin_access.is_some() && !input.features.admin_access {
            return Err(error(RequestProblem::AdminAccessDisabled));
        }
        if view.class.is_empty() {
            return Err(error(RequestProblem::NoClassName));
        }
        let class = input.classes.class(view.class).ok_or_else(|| {
            error(RequestProblem::NoClass {
                class: view.class.to_owned(),
            })
        })?;
        let mut alternative = Self {
            view,
            class,
            capacity: CapacityRequests::new(view.capacity).map_err(error)?,
            amount: DeviceAmount::Exact(0),
            selection: Selection::new(claim, class, &view),
        };
        alternative.amount = match view.mode() {
            Mode::Exact(count) => DeviceAmount::Exact(
                usize::try_from(count).map_err(|_| error(RequestProblem::BadCount { count }))?,
            ),
            Mode::All => DeviceAmount::All(alternative.all_devices(input, pools, claim)?),
            Mode::Unknown(mode) => {
                return Err(error(RequestProblem::UnknownMode {
                    mode: mode.to_owned(),
                }));
            }
        };
        Ok(alternative)
    }

    /// Every device of the node that matches, in use or not. All pools must be
    /// complete and valid: else nobody knows what "all" is.
    fn all_devices(
        &mut self,
        input: &Input<'a>,
        pools: &NodePools,
        claim: &ResourceClaim,
    ) -> Result<Vec<Place>, AllocateError> {
        let mut all = Vec::new();
        for (pool_index, pool) in pools.pools.iter().enumerate() {
            let problem = match pool.state {
                PoolState::Usable => None,
                PoolState::Incomplete => Some(RequestProblem::PoolIncomplete {
                    pool: pool.id.clone(),
                }),
                PoolState::Invalid => Some(RequestProblem::PoolInvalid {
                    pool: pool.id.clone(),
                }),
            };
            if let Some(problem) = problem {
                return Err(request_error(claim, self.view.name, problem));
            }
            for device in 0..pool.device_count {
                let place = Place {
                    pool: pool_index,
                    device,
                };
                if self.selection.selects(input, pools, place)?
                    && self.could_fit(input, pools, claim, place)?
                {
                    all.push(place);
                }
            }
        }
        Ok(all)
    }

    /// Whether an unused device would have the capacity. One that merely has none
    /// left is still part of "all", and makes the request fail.
    fn could_fit(
        &self,
        input: &Input<'_>,
        pools: &NodePools,
        claim: &ResourceClaim,
        place: Place,
    ) -> Result<bool, AllocateError> {
        if !input.features.consumable_capacity {
            return Ok(true);
        }
        let device = pools.device(place).published();
        let fractional = input.features.fractional_capacity_range;
        capacity::fits(&self.capacity, device, &std::iter::empty(), fractional).map_err(|error| {
            let problem = RequestProblem::Capacity {
                device: device.name.to_string(),
                error,
            };
            request_error(claim, self.view.name, problem)
        })
    }
}
