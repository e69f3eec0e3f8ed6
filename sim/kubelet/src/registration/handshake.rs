//! The registration of one plugin (`pluginmanager/operationexecutor/operation_generator.go`).

use std::path::Path;
use std::sync::Arc;

use drakit_proto::plugin_registration_v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use drakit_proto::{authority, services};
use prost::Message;

use crate::driver::Plugins;
use crate::http2::RawConnection;
use crate::rpc_error::RpcError;
use crate::timing::Timing;

const GET_INFO: &str = "/pluginregistration.Registration/GetInfo";
const NOTIFY: &str = "/pluginregistration.Registration/NotifyRegistrationStatus";

/// A plugin that was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// Driver name.
    pub driver: String,
    /// Service socket.
    pub endpoint: String,
}

/// Why a plugin was not registered; the texts are those of the kubelet's log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Nobody answered on the socket.
    #[error(
        "RegisterPlugin error -- dial failed at socket {socket}, err: failed to dial socket {socket}, err: context deadline exceeded"
    )]
    Dial {
        /// Registration socket.
        socket: String,
    },
    /// `GetInfo` failed or took too long.
    #[error(
        "RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket {socket}, err: {error}"
    )]
    GetInfo {
        /// Registration socket.
        socket: String,
        /// What the call returned.
        error: RpcError,
    },
    /// The plugin was told that it is not accepted, with this text.
    #[error("{0}")]
    Refused(String),
    /// The plugin refused to hear that it is registered, and was removed again.
    #[error(
        "RegisterPlugin error -- failed to send registration status at socket {socket}, err: {error}"
    )]
    Notify {
        /// Registration socket.
        socket: String,
        /// What the call returned.
        error: RpcError,
    },
}

/// Asks the plugin at `socket` who it is, connects to its service and tells it the outcome, all on one
/// connection.
///
/// # Errors
/// [`HandshakeError`]; nothing stays registered then.
pub async fn register(
    socket: &Path,
    plugins: &Arc<Plugins>,
    timing: &Timing,
) -> Result<Registered, HandshakeError> {
    let connection = dial(socket, timing).await?;
    introduce(connection, socket, plugins, timing).await
}

/// Connects to a registration socket.
pub(super) async fn dial(socket: &Path, timing: &Timing) -> Result<RawConnection, HandshakeError> {
    let path = socket.to_string_lossy().into_owned();
    let authority = authority::of_registration_socket(&path);
    RawConnection::dial(socket, authority, timing.dial)
        .await
        .map_err(|_| HandshakeError::Dial { socket: path })
}

/// All of a registration but the connection, which it ends.
pub(super) async fn introduce(
    mut connection: RawConnection,
    socket: &Path,
    plugins: &Arc<Plugins>,
    timing: &Timing,
) -> Result<Registered, HandshakeError> {
    let path = socket.to_string_lossy().into_owned();
    let info =
        get_info(&mut connection, timing)
            .await
            .map_err(|error| HandshakeError::GetInfo {
                socket: path.clone(),
                error,
            })?;
    let plugin = match accept(info, &path, plugins) {
        Ok(plugin) => plugin,
        Err(refusal) => {
            // The plugin may not answer; it is refused all the same.
            if let Err(error) = notify(&mut connection, timing, Some(&refusal)).await {
                tracing::debug!(socket = %path, %error, "plugin did not take its refusal");
            }
            return Err(HandshakeError::Refused(refusal));
        }
    };
    // After registering, so that a plugin that hears of its registration can be called.
    if let Err(error) = notify(&mut connection, timing, None).await {
        plugins.deregister(&plugin.driver, &plugin.endpoint);
        return Err(HandshakeError::Notify {
            socket: path,
            error,
        });
    }
    Ok(plugin)
}

fn accept(info: PluginInfo, socket: &str, plugins: &Arc<Plugins>) -> Result<Registered, String> {
    if info.r#type != services::DRA_PLUGIN_TYPE {
        return Err(format!(
            "RegisterPlugin error -- no handler registered for plugin type: {} at socket {socket}",
            info.r#type
        ));
    }
    let endpoint = if info.endpoint.is_empty() {
        socket.to_owned()
    } else {
        info.endpoint
    };
    Plugins::validate(&info.name, &endpoint, &info.supported_versions)
        .map_err(|e| format!("RegisterPlugin error -- plugin validation failed with err: {e}"))?;
    plugins
        .register(&info.name, &endpoint, &info.supported_versions)
        .map_err(|e| format!("RegisterPlugin error -- plugin registration failed with err: {e}"))?;
    Ok(Registered {
        driver: info.name,
        endpoint,
    })
}

async fn get_info(connection: &mut RawConnection, timing: &Timing) -> Result<PluginInfo, RpcError> {
    let answer = connection
        .call(GET_INFO, &InfoRequest {}.encode_to_vec(), timing.get_info)
        .await?;
    PluginInfo::decode(answer.as_slice()).map_err(|e| undecodable(&e))
}

async fn notify(
    connection: &mut RawConnection,
    timing: &Timing,
    refusal: Option<&str>,
) -> Result<(), RpcError> {
    let status = RegistrationStatus {
        plugin_registered: refusal.is_none(),
        error: refusal.unwrap_or("").to_owned(),
    };
    let answer = connection
        .call(NOTIFY, &status.encode_to_vec(), timing.notify)
        .await?;
    RegistrationStatusResponse::decode(answer.as_slice())
        .map(|_| ())
        .map_err(|e| undecodable(&e))
}

fn undecodable(error: &prost::DecodeError) -> RpcError {
    RpcError::new(
        tonic::Code::Internal,
        format!("grpc: failed to unmarshal the received message: {error}"),
    )
}
