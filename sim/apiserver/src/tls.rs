//! A certificate authority that lives as long as the server.

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Why no certificate could be made.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Key or certificate.
    #[error("make the server certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The TLS library refused it.
    #[error("set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Server side of TLS, and the authority that clients must trust.
pub(crate) struct Identity {
    pub(crate) server: Arc<ServerConfig>,
    pub(crate) ca_pem: String,
}

/// Makes an authority and a certificate for `address` and `localhost`.
pub(crate) fn identity(address: IpAddr) -> Result<Identity, TlsError> {
    let ca_key = KeyPair::generate()?;
    let mut ca = CertificateParams::new(Vec::new())?;
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.distinguished_name
        .push(DnType::CommonName, "drakit simulated cluster");
    ca.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    let ca_certificate = ca.self_signed(&ca_key)?;
    let issuer = Issuer::new(ca, ca_key);

    let key = KeyPair::generate()?;
    let names = vec![
        "localhost".to_owned(),
        "kubernetes".to_owned(),
        "kubernetes.default.svc".to_owned(),
        address.to_string(),
        "127.0.0.1".to_owned(),
    ];
    let mut server = CertificateParams::new(names)?;
    server
        .distinguished_name
        .push(DnType::CommonName, "drakit API server");
    let certificate = server.signed_by(&key, &issuer)?;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Identity {
        server: Arc::new(config),
        ca_pem: ca_certificate.pem(),
    })
}
