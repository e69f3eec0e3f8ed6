//! A whole client (kube) over the router and over TLS.

use std::time::Duration;

use crate::support;
use drakit_api::k8s::api::core::v1::{ConfigMap, Pod};
use drakit_sim_apiserver::{ApiConfig, ApiServer};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::watcher;
use kube::{Client, Config};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const LIMIT: Duration = Duration::from_secs(20);

fn in_process(server: &support::Server) -> Client {
    let service = server.router.clone().into_service::<kube::client::Body>();
    Client::new(service.map_err(|never| match never {}), "default")
}

fn object<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn kube_works_without_a_socket() {
    let server = support::Server::new();
    let api: Api<ConfigMap> = Api::default_namespaced(in_process(&server));
    api.create(&PostParams::default(), &object(support::config_map("a")))
        .await
        .unwrap();
    let patch = Patch::Merge(json!({"data": {"k": "w"}}));
    api.patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let list = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(
        list.items[0].data.as_ref().map(|d| d["k"].as_str()),
        Some("w")
    );
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let gone = api.get("a").await.unwrap_err();
    assert!(
        matches!(&gone, kube::Error::Api(status) if status.code == 404),
        "{gone}"
    );
}

#[tokio::test]
async fn a_watcher_sees_what_is_there_and_what_comes() {
    let server = support::Server::new();
    let api: Api<Pod> = Api::default_namespaced(in_process(&server));
    api.create(&PostParams::default(), &object(support::pod("first")))
        .await
        .unwrap();
    for config in [
        watcher::Config::default(),
        watcher::Config::default().streaming_lists(),
    ] {
        let mut stream = watcher(api.clone(), config).boxed();
        let mut seen = Vec::new();
        let wait = async {
            while let Some(event) = stream.try_next().await.unwrap() {
                match event {
                    watcher::Event::InitApply(pod) | watcher::Event::Apply(pod) => {
                        seen.push(pod.metadata.name.unwrap_or_default());
                    }
                    watcher::Event::InitDone => {
                        assert_eq!(seen, ["first"]);
                        let second = object(support::pod("second"));
                        api.create(&PostParams::default(), &second).await.unwrap();
                    }
                    watcher::Event::Init | watcher::Event::Delete(_) => {}
                }
                if seen.len() == 2 {
                    break;
                }
            }
        };
        tokio::time::timeout(LIMIT, wait).await.unwrap();
        api.delete("second", &DeleteParams::default().grace_period(0))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_kubeconfig_reaches_the_server_over_tls_until_it_stops() {
    let mut config = support::config();
    config.token = Some("token".to_owned());
    let shutdown = CancellationToken::new();
    let api = ApiServer::start(config, shutdown.clone()).await.unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&api.kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    let client = Client::try_from(config).unwrap();
    let version = client.apiserver_version().await.unwrap();
    assert_eq!(
        (version.major.as_str(), version.minor.as_str()),
        ("1", "37")
    );
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    maps.create(&PostParams::default(), &object(support::config_map("a")))
        .await
        .unwrap();
    let watching = watcher(maps, watcher::Config::default());
    let mut watching = watching.boxed();
    tokio::time::timeout(LIMIT, watching.next()).await.unwrap();
    shutdown.cancel();
    tokio::time::timeout(LIMIT, api.task)
        .await
        .expect("the server stops although a watch is open")
        .unwrap();
}

#[tokio::test]
async fn an_occupied_port_is_named() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config: ApiConfig = support::config();
    config.address = taken.local_addr().unwrap();
    let error = ApiServer::start(config, CancellationToken::new())
        .await
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!(
            "listen on {}: Address already in use",
            taken.local_addr().unwrap()
        )),
        "{text}"
    );
}
