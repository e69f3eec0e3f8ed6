//! A tonic server on a registration socket, called as the kubelet calls it.
#![expect(clippy::unwrap_used, reason = "a failed set-up fails the test")]

use std::path::Path;
use std::time::Duration;

use drakit_proto::plugin_registration_v1::registration_server::{Registration, RegistrationServer};
use drakit_proto::plugin_registration_v1::{
    InfoRequest, PluginInfo, RegistrationStatus, RegistrationStatusResponse,
};
use drakit_proto::{authority, services};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Request, Response, Status};

const CALL_TIMEOUT: Duration = Duration::from_secs(10);

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const PROTOCOL_ERROR: [u8; 4] = 1_u32.to_be_bytes();

struct Driver;

#[tonic::async_trait]
impl Registration for Driver {
    async fn get_info(&self, _: Request<InfoRequest>) -> Result<Response<PluginInfo>, Status> {
        Ok(Response::new(PluginInfo {
            r#type: services::DRA_PLUGIN_TYPE.into(),
            name: "gpu.example.com".into(),
            endpoint: "/dra.sock".into(),
            supported_versions: vec![services::DRA_V1.into()],
        }))
    }

    async fn notify_registration_status(
        &self,
        _: Request<RegistrationStatus>,
    ) -> Result<Response<RegistrationStatusResponse>, Status> {
        Ok(Response::new(RegistrationStatusResponse {}))
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A header as HPACK literal, neither indexed nor Huffman-coded.
fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0];
    for text in [name, value] {
        let length = u8::try_from(text.len()).unwrap();
        assert!(length < 127, "longer strings have another length prefix");
        out.push(length);
        out.extend(text.as_bytes());
    }
    out
}

/// Calls `GetInfo` with the kubelet's authority for `socket` and returns kind
/// and payload of the first frame that answers the call. tonic's own client
/// cannot send this authority.
async fn call_as_kubelet(socket: &Path) -> (u8, Vec<u8>) {
    let authority = authority::of_registration_socket(socket.to_str().unwrap());
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/pluginregistration.Registration/GetInfo"),
        (":authority", authority.as_str()),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ]
    .map(|(name, value)| literal(name, value))
    .concat();
    let mut connection = UnixStream::connect(socket).await.unwrap();
    let call = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        frame(SETTINGS, 0, 0, &[]),
        frame(HEADERS, END_HEADERS, 1, &headers),
        // An uncompressed gRPC message of length 0.
        frame(0, END_STREAM, 1, &[0; 5]),
    ];
    connection.write_all(&call.concat()).await.unwrap();
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await.unwrap();
        let length = usize::from(head[1]) << 8 | usize::from(head[2]);
        let mut payload = vec![0; length];
        connection.read_exact(&mut payload).await.unwrap();
        if head[5..9] == 1_u32.to_be_bytes() {
            return (head[3], payload);
        }
    }
}

async fn answer_on_socket_named(file: &str) -> (u8, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join(file);
    let listener = UnixListener::bind(&socket).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(
        tonic::transport::Server::builder()
            .add_service(RegistrationServer::new(Driver))
            .serve_with_incoming_shutdown(UnixListenerStream::new(listener), async {
                stopped.await.ok();
            }),
    );
    let answer = tokio::time::timeout(CALL_TIMEOUT, call_as_kubelet(&socket))
        .await
        .unwrap();
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn a_socket_with_an_at_sign_in_its_name_answers_the_kubelet() {
    let (kind, headers) = answer_on_socket_named("gpu.example.com@reg.sock").await;
    assert_eq!(kind, HEADERS);
    // 0x88 is entry 8 of HPACK's static table: `:status: 200`.
    assert_eq!(headers.first(), Some(&0x88));
}

/// When this fails, the parser's rule has changed and the `@` can go.
#[tokio::test]
async fn a_socket_without_an_at_sign_in_its_name_refuses_the_kubelet() {
    let (kind, code) = answer_on_socket_named("gpu.example.com-reg.sock").await;
    assert_eq!(kind, RST_STREAM);
    assert_eq!(code, PROTOCOL_ERROR);
}
