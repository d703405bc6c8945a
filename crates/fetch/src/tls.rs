//! TLS: rustls on aws-lc-rs, with the system's authorities.
//!
//! One configuration for all, with shared session tickets. Verification is never disabled; a private authority can be
//! added in the options. Error messages say who has to fix what.

use crate::certificate::{SelfSigned, Verifier};
use crate::connector::reason;
use crate::{FetchError, Options};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, Error, OtherError, RootCertStore};
use std::io;
use std::sync::{Arc, OnceLock};
use url::Host;

/// The client's side of TLS. Loading all authorities takes some milliseconds, so it is done on first use; those of the
/// operator are checked before.
pub(crate) struct Tls {
    authorities: Vec<CertificateDer<'static>>,
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Tls {
    pub(crate) fn new(options: &Options) -> Result<Self, FetchError> {
        let mut roots = RootCertStore::empty();
        for authority in &options.authorities {
            let refused = |error: Error| FetchError::Option { option: "authorities", why: error.to_string() };
            roots.add(authority.clone()).map_err(refused)?;
        }
        Ok(Self { authorities: options.authorities.clone(), config: OnceLock::new() })
    }

    /// The configuration, or why there is none.
    pub(crate) fn config(&self) -> Result<Arc<ClientConfig>, String> {
        self.config.get_or_init(|| client(&self.authorities).map_err(|error| error.to_string())).clone()
    }
}

fn client(authorities: &[CertificateDer<'static>]) -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        // A container without ca-certificates; better the browsers' list than no visits at all.
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for authority in authorities {
        roots.add(authority.clone())?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
    // Any certificate can be used as an authority, so this fails only if there is none.
    let verifier = verifier.map_err(|error| Error::General(error.to_string()))?;
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?.dangerous();
    // rustls calls every custom verifier dangerous; `Verifier` only refines the errors of webpki.
    let mut config = config.with_custom_certificate_verifier(Arc::new(Verifier(verifier))).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The name that the certificate must be valid for.
pub(crate) fn server_name(host: &Host<&str>) -> Result<ServerName<'static>, String> {
    match host {
        // The final dot is for the resolver; certificates do not have it.
        Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned())
            .map_err(|_| format!("{name} cannot be the name in a certificate")),
        Host::Ipv4(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Ipv6(address) => Ok(ServerName::IpAddress((*address).into())),
    }
}

/// Why the handshake failed.
pub(crate) fn why(error: &io::Error) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(error)) => why_not(error),
        Some(Error::AlertReceived(alert)) => format!("the server refuses the handshake: {alert:?}"),
        Some(Error::PeerIncompatible(what)) => format!("no common TLS version or cipher: {what:?}"),
        Some(Error::InvalidMessage(_)) => "the server does not speak TLS".to_owned(),
        Some(error) => error.to_string(),
        None if error.kind() == io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        None => reason(error),
    }
}

/// What is wrong with a certificate.
fn why_not(error: &CertificateError) -> String {
    let days = |from: &UnixTime, to: &UnixTime| match to.as_secs().saturating_sub(from.as_secs()) / 86_400 {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    match error {
        CertificateError::ExpiredContext { time, not_after } => {
            format!("the certificate expired {} ago", days(not_after, time))
        }
        CertificateError::Expired => "the certificate has expired".to_owned(),
        CertificateError::NotValidYetContext { time, not_before } => {
            format!("the certificate becomes valid in {}", days(time, not_before))
        }
        CertificateError::NotValidYet => "the certificate is not valid yet".to_owned(),
        // The names it is valid for are left out: its author chose them.
        CertificateError::NotValidForNameContext { expected, .. } => {
            format!("the certificate is not valid for {}", expected.to_str())
        }
        CertificateError::NotValidForName => "the certificate is for another host".to_owned(),
        CertificateError::UnknownIssuer => "the issuer of the certificate is not known".to_owned(),
        CertificateError::Other(OtherError(inner)) if inner.is::<SelfSigned>() => {
            "the certificate is self-signed".to_owned()
        }
        CertificateError::Revoked => "the certificate was revoked".to_owned(),
        CertificateError::BadSignature => "the signature of the certificate is invalid".to_owned(),
        CertificateError::BadEncoding => "the certificate cannot be read".to_owned(),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the certificate is not for servers".to_owned()
        }
        other => format!("the certificate is refused: {other}"),
    }
}
