//! Certificate verification by webpki, with a more precise reason for some refusals.
//!
//! For a self-signed certificate webpki only says that its issuer is unknown, as it does when a server forgets to send
//! the chain; the two are fixed in different ways. Everything else is passed on.
//! Invariant: what webpki refuses is refused.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use std::sync::Arc;

/// webpki's verifier, with a better reason.
#[derive(Debug)]
pub(crate) struct Verifier(pub(crate) Arc<WebPkiServerVerifier>);

/// A certificate that is signed only by itself.
#[derive(Debug, thiserror::Error)]
#[error("self-signed")]
pub(crate) struct SelfSigned;

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        verified.map_err(|error| match error {
            // `Other` is the error for a self-signed authority that is used as a server certificate.
            Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::Other(_))
                if is_self_issued(end_entity) =>
            {
                CertificateError::Other(OtherError(Arc::new(SelfSigned))).into()
            }
            error => error,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Whether issuer and subject are the same (RFC 5280, 4.1). False if it cannot be parsed.
fn is_self_issued(certificate: &[u8]) -> bool {
    let names = || {
        let mut fields = inside(inside(certificate)?)?;
        // The version has a default, so it may be missing.
        if fields.first() == Some(&0xa0) {
            element(&mut fields)?;
        }
        let [_serial, _algorithm, issuer, _validity, subject] = [(); 5].map(|()| element(&mut fields));
        Some((issuer?, subject?))
    };
    names().is_some_and(|(issuer, subject)| issuer == subject)
}

/// The content of the sequence at the start of `der`.
fn inside(mut der: &[u8]) -> Option<&[u8]> {
    if der.first() == Some(&0x30) { element(&mut der) } else { None }
}

/// Takes one element off the front and returns its content.
fn element<'a>(der: &mut &'a [u8]) -> Option<&'a [u8]> {
    let [_tag, length, rest @ ..] = *der else { return None };
    let (length, rest) = match length {
        0..=0x7f => (usize::from(*length), rest),
        0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    *der = rest;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rcgen::{CertificateParams, DnType, Issuer, KeyPair};

    fn params(name: &str) -> CertificateParams {
        let mut params = CertificateParams::new(vec!["feed.example".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params
    }

    #[test]
    fn self_issued_certificates_are_recognised() {
        let (key, other) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let own = params("one").self_signed(&key).unwrap();
        assert!(is_self_issued(own.der()));
        let issued = params("one").signed_by(&key, &Issuer::new(params("two"), other)).unwrap();
        assert!(!is_self_issued(issued.der()));
        assert!(!is_self_issued(&own.der()[..40]));
        assert!(!is_self_issued(b""));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_not(bytes: Vec<u8>) {
            is_self_issued(&bytes);
            is_self_issued(&[&[0x30, 0x82, 0, 40, 0x30, 30], bytes.as_slice()].concat());
        }
    }
}
