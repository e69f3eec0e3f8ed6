//! Every wait of the kubelet, by name.

use std::time::Duration;

/// Waits and time-outs. [`Timing::real`] has Kubernetes' values.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// For a registration socket to accept and greet
    /// (`pluginmanager/operationexecutor`, `dialTimeoutDuration`).
    pub dial: Duration,
    /// For `GetInfo` (`operation_generator.go`).
    pub get_info: Duration,
    /// For `NotifyRegistrationStatus` (`notifyTimeoutDuration`).
    pub notify: Duration,
    /// For a prepare or unprepare call (`cm/dra/plugin`, `defaultClientCallTimeout`).
    pub call: Duration,
    /// Before the second attempt to register a socket; doubles with each
    /// (`util/goroutinemap/exponentialbackoff`).
    pub register_again_first: Duration,
    /// The longest wait between two attempts to register a socket.
    pub register_again_max: Duration,
    /// Before the second attempt to connect to a driver (grpc-go, `backoff.DefaultConfig`).
    pub reconnect_first: Duration,
    /// The longest wait between two attempts to connect to a driver.
    pub reconnect_max: Duration,
    /// From the loss of a driver's last connection to the deletion of its slices
    /// (`cm/dra`, `defaultWipingDelay`).
    pub wipe_delay: Duration,
    /// Between two searches for claims of pods that vanished (`defaultReconcilePeriod`).
    pub reconcile: Duration,
    /// After a failed prepare: the next regular sync of the pod (`syncFrequency` with its jitter).
    pub prepare_again: Duration,
    /// After a failed sync of a pod, for example when a container could not be created or a claim
    /// not be unprepared (`backOffPeriod`).
    pub sync_again: Duration,
    /// Between two renewals of the node leases. A kubelet renews every 10 s, which for 1,000 nodes
    /// would be most of the writes of an idle simulation.
    pub renew_leases: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self::real()
    }
}

impl Timing {
    /// Kubernetes' own times.
    pub const fn real() -> Self {
        Self {
            dial: Duration::from_secs(10),
            get_info: Duration::from_secs(1),
            notify: Duration::from_secs(5),
            call: Duration::from_secs(45),
            register_again_first: Duration::from_millis(500),
            register_again_max: Duration::from_secs(122),
            reconnect_first: Duration::from_secs(1),
            reconnect_max: Duration::from_secs(120),
            wipe_delay: Duration::from_secs(30),
            reconcile: Duration::from_secs(60),
            prepare_again: Duration::from_secs(90),
            sync_again: Duration::from_secs(10),
            renew_leases: Duration::from_secs(300),
        }
    }

    /// Delays multiplied by `factor` (0.1 = ten times faster). Time-outs of calls stay real: a fast
    /// clock must not turn a slow machine into a failing driver.
    #[must_use]
    pub fn with_delays_scaled(mut self, factor: f64) -> Self {
        for delay in [
            &mut self.register_again_first,
            &mut self.register_again_max,
            &mut self.reconnect_first,
            &mut self.reconnect_max,
            &mut self.wipe_delay,
            &mut self.reconcile,
            &mut self.prepare_again,
            &mut self.sync_again,
            &mut self.renew_leases,
        ] {
            *delay = scale(*delay, factor);
        }
        self
    }

    /// Time-outs of calls multiplied by `factor`.
    #[must_use]
    pub fn with_time_outs_scaled(mut self, factor: f64) -> Self {
        for limit in [
            &mut self.dial,
            &mut self.get_info,
            &mut self.notify,
            &mut self.call,
        ] {
            *limit = scale(*limit, factor);
        }
        self
    }
}

/// Never zero (a retry must not spin), and a factor that makes no sense changes nothing.
fn scale(duration: Duration, factor: f64) -> Duration {
    const SHORTEST: Duration = Duration::from_millis(1);
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor)
        .unwrap_or(duration)
        .max(SHORTEST)
}

/// A wait that doubles up to a limit.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    first: Duration,
    limit: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) fn new(first: Duration, limit: Duration) -> Self {
        Self {
            first,
            limit,
            next: first,
        }
    }

    /// The next wait.
    pub(crate) fn wait(&mut self) -> Duration {
        let now = self.next;
        self.next = now.saturating_mul(2).min(self.limit);
        now
    }

    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registration_is_retried_after_half_a_second_and_at_most_after_two_minutes() {
        let timing = Timing::real();
        let mut backoff = Backoff::new(timing.register_again_first, timing.register_again_max);
        let waits: Vec<_> = (0..10).map(|_| backoff.wait().as_secs_f64()).collect();
        assert_eq!(
            waits,
            [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 122.0, 122.0]
        );
        backoff.reset();
        assert_eq!(backoff.wait(), Duration::from_millis(500));
    }

    #[test]
    fn scaling_delays_leaves_call_time_outs_real() {
        let timing = Timing::real().with_delays_scaled(0.01);
        assert_eq!(timing.wipe_delay, Duration::from_millis(300));
        assert_eq!(timing.call, Duration::from_secs(45));
        assert_eq!(
            Timing::real().with_time_outs_scaled(0.1).get_info,
            Duration::from_millis(100)
        );
        assert_eq!(Timing::real().with_delays_scaled(f64::NAN), Timing::real());
    }
}
