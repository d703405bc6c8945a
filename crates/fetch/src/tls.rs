//! Secure connections: rustls on aws-lc-rs, with the system's authorities.
//!
//! One configuration for all; session tickets are shared by it. Verification is never switched off: who needs a private
//! authority names it in the options.

use crate::{FetchError, Options};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use url::Host;

/// The client's side of TLS.
pub(crate) fn client(options: &Options) -> Result<Arc<ClientConfig>, FetchError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        // A container without ca-certificates; better the browsers' list than no visits at all.
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for authority in &options.authorities {
        roots
            .add(authority.clone())
            .map_err(|error| FetchError::Option { option: "authorities", why: error.to_string() })?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.map_err(FetchError::Tls)?.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The name that a certificate must carry.
pub(crate) fn server_name(host: &Host<&str>) -> Result<ServerName<'static>, String> {
    match host {
        // A final dot is for the resolver; certificates are written without it.
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned())
            .map_err(|_| format!("{name} is no name that a certificate could carry")),
        Host::Ipv4(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Ipv6(address) => Ok(ServerName::IpAddress((*address).into())),
    }
}
