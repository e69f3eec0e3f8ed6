//! The kubelet's authority against a server that parses it.

use std::time::Duration;

use drakit_proto::authority;
use drakit_sim_kubelet::http2::RawConnection;
use drakit_sim_kubelet::{NodeDirs, RpcError};
use tempfile::TempDir;
use tonic::Code;

use crate::driver::{Setup, TestDriver};

const LIMIT: Duration = Duration::from_secs(10);

async fn get_info_on(socket: &str) -> Result<Vec<u8>, RpcError> {
    let folder = TempDir::new().unwrap();
    let dirs = NodeDirs::of(folder.path(), "n");
    std::fs::create_dir_all(&dirs.registry).unwrap();
    std::fs::create_dir_all(&dirs.plugins).unwrap();
    let setup = Setup {
        socket: socket.into(),
        ..Setup::new("gpu.example.com")
    };
    let driver = TestDriver::start(&dirs, setup);
    let path = dirs.registry.join(socket);
    let authority = authority::of_registration_socket(path.to_str().unwrap());
    let mut connection = RawConnection::dial(&path, authority, LIMIT).await.unwrap();
    let method = "/pluginregistration.Registration/GetInfo";
    let first = connection.call(method, &[], LIMIT).await;
    if first.is_ok() {
        // The connection is good for more than one call.
        assert_eq!(connection.call(method, &[], LIMIT).await, first);
        assert_eq!(driver.log(), ["GetInfo", "GetInfo"]);
    } else {
        assert!(driver.log().is_empty());
    }
    // The server waits for its clients to go.
    drop(connection);
    driver.kill().await;
    first
}

#[tokio::test]
async fn a_socket_with_an_at_sign_is_served_by_tonic() {
    let answer = get_info_on("x@reg.sock").await.unwrap();
    let text = String::from_utf8_lossy(&answer).into_owned();
    assert!(text.contains("gpu.example.com"), "{text}");
}

#[tokio::test]
async fn a_socket_without_an_at_sign_is_refused_by_tonic_as_on_a_real_node() {
    let error = get_info_on("x-reg.sock").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: PROTOCOL_ERROR"
    );
}

#[tokio::test]
async fn a_method_that_nobody_serves_is_unimplemented() {
    let folder = TempDir::new().unwrap();
    let dirs = NodeDirs::of(folder.path(), "n");
    std::fs::create_dir_all(&dirs.registry).unwrap();
    std::fs::create_dir_all(&dirs.plugins).unwrap();
    let driver = TestDriver::start(&dirs, Setup::new("gpu.example.com"));
    let path = dirs.registry.join("gpu.example.com@reg.sock");
    let mut connection = RawConnection::dial(&path, "localhost", LIMIT)
        .await
        .unwrap();
    let error = connection.call("/no.Such/Method", &[], LIMIT).await;
    assert_eq!(error.unwrap_err().code, Code::Unimplemented);
    drop(connection);
    driver.kill().await;
}

#[tokio::test]
async fn nobody_on_the_socket_ends_in_a_deadline() {
    let missing = std::path::Path::new("/no/such.sock");
    let error = RawConnection::dial(missing, "localhost", Duration::from_millis(50)).await;
    assert_eq!(
        error.unwrap_err(),
        RpcError {
            code: Code::DeadlineExceeded,
            message: "context deadline exceeded".into(),
        }
    );
}
