//! What a case does to a cluster, and what it must clean up.

use std::collections::BTreeMap;
use std::time::Duration;

use drakit_api::k8s::NamespaceResourceScope;
use kube::api::{DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Client};
use tokio::sync::Mutex;

use crate::case::Case;
use crate::manifest::{self, ManifestError};
use crate::wait::{self, Look, Timeout};

/// The most time that clean-up of a case may take: a namespace with a few pods.
const CLEAN_UP: Duration = Duration::from_secs(60);

/// Field manager of everything that the kit applies, so that an audit log shows it.
const MANAGER: &str = "drakit";

/// Why a step did not work.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// A manifest is wrong.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The case has no manifest of that name.
    #[error("the case has no manifest {0}")]
    NoManifest(String),
    /// The API server refused, or cannot be reached.
    #[error("{action} {object}")]
    Api {
        /// `apply`, `delete`, `get`.
        action: &'static str,
        /// `Pod ns/name`.
        object: String,
        /// What it said.
        #[source]
        source: Box<kube::Error>,
    },
    /// Clean-up took too long.
    #[error(transparent)]
    Timeout(#[from] Timeout),
}

impl StageError {
    /// The message of the API server's status, if that is what it is.
    pub fn status_message(&self) -> Option<&str> {
        match self {
            Self::Api { source, .. } => match source.as_ref() {
                kube::Error::Api(status) => Some(&status.message),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A case's view of a cluster: applies its manifests, reads, deletes; remembers what it made.
pub struct Stage {
    client: Client,
    manifests: BTreeMap<&'static str, &'static str>,
    patience: Duration,
    made: Mutex<Vec<(ApiResource, Option<String>, String)>>,
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage")
            .field("manifests", &self.manifests.keys())
            .finish_non_exhaustive()
    }
}

impl Stage {
    /// A stage for one case.
    pub fn new(client: Client, case: &Case) -> Self {
        let manifests = case.manifests.iter().copied().collect();
        Self {
            client,
            manifests,
            patience: case.patience,
            made: Mutex::default(),
        }
    }

    /// The client, for reads that the stage has no word for.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The most time that one step may take.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Applies a manifest of the case, in the order of its documents.
    ///
    /// # Errors
    /// The first document that the API server refuses.
    pub async fn apply(&self, file: &str) -> Result<(), StageError> {
        let text = self
            .manifests
            .get(file)
            .ok_or_else(|| StageError::NoManifest(file.to_owned()))?;
        for object in manifest::parse(file, text)? {
            self.apply_object(object).await?;
        }
        Ok(())
    }

    /// Creates the objects of a manifest, as `kubectl create` does with strict field validation.
    ///
    /// # Errors
    /// The first document that the API server refuses.
    pub async fn create(&self, file: &str) -> Result<(), StageError> {
        let text = self
            .manifests
            .get(file)
            .ok_or_else(|| StageError::NoManifest(file.to_owned()))?;
        for object in manifest::parse(file, text)? {
            let shown = describe(&object);
            let (api, resource) = self.api_for(&object);
            let params = PostParams {
                field_manager: Some(MANAGER.into()),
                ..PostParams::default()
            };
            let made = self.strict(&api, &params, &object).await;
            let made = made.map_err(|source| StageError::Api {
                action: "create",
                object: shown,
                source: source.into(),
            })?;
            self.remember(resource, &made).await;
        }
        Ok(())
    }

    async fn strict(
        &self,
        api: &Api<DynamicObject>,
        params: &PostParams,
        object: &DynamicObject,
    ) -> Result<DynamicObject, kube::Error> {
        let body = serde_json::to_vec(object).map_err(kube::Error::SerdeError)?;
        let mut request = kube::core::Request::new(api.resource_url())
            .create(params, body)
            .map_err(kube::Error::BuildRequest)?;
        let with_validation = format!("{}&fieldValidation=Strict", request.uri());
        if let Ok(uri) = with_validation.parse() {
            *request.uri_mut() = uri;
        }
        self.client.request(request).await
    }

    async fn apply_object(&self, object: DynamicObject) -> Result<(), StageError> {
        let shown = describe(&object);
        let name = object.metadata.name.clone().unwrap_or_default();
        let (api, resource) = self.api_for(&object);
        let mut params = PatchParams::apply(MANAGER);
        params.force = true;
        let applied = api.patch(&name, &params, &Patch::Apply(&object)).await;
        let applied = applied.map_err(|source| StageError::Api {
            action: "apply",
            object: shown,
            source: source.into(),
        })?;
        self.remember(resource, &applied).await;
        Ok(())
    }

    fn api_for(&self, object: &DynamicObject) -> (Api<DynamicObject>, ApiResource) {
        let types = object.types.clone().unwrap_or_default();
        let kind = GroupVersionKind::try_from(&types)
            .unwrap_or_else(|_| GroupVersionKind::gvk("", "v1", &types.kind));
        let resource = ApiResource::from_gvk(&kind);
        let api = match &object.metadata.namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        };
        (api, resource)
    }

    async fn remember(&self, resource: ApiResource, object: &DynamicObject) {
        let name = object.metadata.name.clone().unwrap_or_default();
        let entry = (resource, object.metadata.namespace.clone(), name);
        let mut made = self.made.lock().await;
        if !made.contains(&entry) {
            made.push(entry);
        }
    }

    /// A typed API of one namespace.
    pub fn namespaced<K>(&self, namespace: &str) -> Api<K>
    where
        K: kube::Resource<Scope = NamespaceResourceScope>,
        <K as kube::Resource>::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// The log of one container, or of the only one.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn log(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
    ) -> Result<String, StageError> {
        let pods: Api<drakit_api::k8s::api::core::v1::Pod> = self.namespaced(namespace);
        let params = LogParams {
            container: container.map(str::to_owned),
            ..LogParams::default()
        };
        pods.logs(pod, &params)
            .await
            .map_err(|source| StageError::Api {
                action: "read the log of",
                object: format!("Pod {namespace}/{pod}"),
                source: source.into(),
            })
    }

    /// Deletes everything that the case made, newest first, and waits until it is gone.
    ///
    /// # Errors
    /// The first object that cannot be deleted or does not go.
    pub async fn clean_up(&self) -> Result<(), StageError> {
        let made: Vec<_> = self.made.lock().await.drain(..).rev().collect();
        for (resource, namespace, name) in &made {
            let api = self.dynamic(resource, namespace.as_deref());
            match api.delete(name, &DeleteParams::background()).await {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if status.code == 404 => {}
                Err(source) => {
                    let object = format!("{} {name}", resource.kind);
                    return Err(StageError::Api {
                        action: "delete",
                        object,
                        source: source.into(),
                    });
                }
            }
        }
        for (resource, namespace, name) in &made {
            let api = self.dynamic(resource, namespace.as_deref());
            wait::until(
                &format!("{} {name} to go", resource.kind),
                CLEAN_UP,
                || async {
                    match api.get_opt(name).await {
                        Ok(None) => Look::Seen(()),
                        Ok(Some(_)) => Look::NotYet("it is still there".into()),
                        Err(error) => Look::NotYet(error.to_string()),
                    }
                },
            )
            .await?;
        }
        Ok(())
    }

    fn dynamic(&self, resource: &ApiResource, namespace: Option<&str>) -> Api<DynamicObject> {
        match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        }
    }

    /// Objects of a kind in a namespace.
    ///
    /// # Errors
    /// When the API server refuses.
    pub async fn list<K>(&self, namespace: &str) -> Result<Vec<K>, StageError>
    where
        K: kube::Resource<Scope = NamespaceResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::de::DeserializeOwned,
        <K as kube::Resource>::DynamicType: Default,
    {
        let api: Api<K> = self.namespaced(namespace);
        let kind = K::kind(&Default::default()).to_string();
        match api.list(&ListParams::default()).await {
            Ok(list) => Ok(list.items),
            Err(source) => Err(StageError::Api {
                action: "list",
                object: format!("{kind} in {namespace}"),
                source: source.into(),
            }),
        }
    }
}

fn describe(object: &DynamicObject) -> String {
    let kind = object.types.as_ref().map_or("object", |t| t.kind.as_str());
    let name = object.metadata.name.as_deref().unwrap_or("");
    match &object.metadata.namespace {
        Some(namespace) => format!("{kind} {namespace}/{name}"),
        None => format!("{kind} {name}"),
    }
}
