//! Logins through an identity provider (OpenID Connect): authorization code with PKCE, in two steps. `begin` sends the browser
//! away, `finish` takes it back.
//!
//! State, nonce and PKCE verifier are rows that are used once, within ten minutes, by the browser that began (a cookie says
//! so). The library checks signature, issuer, audience, authorized party and end of the ID token, with our clock.
//! Invariant: a user is (issuer, subject), never an address of mail.

mod http;
mod name;

use chrono::DateTime;
use data_encoding::BASE64URL_NOPAD;
use fetch::Fetch;
use jiff::{SignedDuration, Timestamp};
use model::account::Account;
use model::reader::Role;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreIdToken, CoreJwsSigningAlgorithm as Alg, CoreProviderMetadata,
};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, IssuerUrl,
    Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse as _,
};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use store::{OidcLogin, StoreError};
use url::Url;

use crate::accounts::Accounts;
use crate::secret_token::{hash, new_token};
use http::Client as HttpClient;

/// How long a browser may be away.
const AWAY_FOR: SignedDuration = SignedDuration::from_mins(10);
/// How long what the provider says about itself is believed, when somebody leaves and when they come back.
const LEAVING: SignedDuration = SignedDuration::from_mins(10);
const COMING_BACK: SignedDuration = SignedDuration::from_mins(1);
/// Users of the same name that are told apart by a number.
const NAMESAKES: u32 = 100;

/// Signatures with a public key; never none, and never our own secret.
const SIGNATURES: [Alg; 9] = [
    Alg::RsaSsaPkcs1V15Sha256,
    Alg::RsaSsaPkcs1V15Sha384,
    Alg::RsaSsaPkcs1V15Sha512,
    Alg::RsaSsaPssSha256,
    Alg::RsaSsaPssSha384,
    Alg::RsaSsaPssSha512,
    Alg::EcdsaP256Sha256,
    Alg::EcdsaP384Sha384,
    Alg::EdDsa,
];

/// What is configured.
#[derive(Clone)]
pub struct OidcOptions {
    /// The provider.
    pub issuer: String,
    /// Our name there.
    pub client_id: String,
    /// Our secret there; a public client has none.
    pub client_secret: Option<String>,
    /// Subjects who become users at their first login.
    pub allow_subjects: Vec<String>,
    /// Groups whose members do.
    pub allow_groups: Vec<String>,
    /// The claim that lists groups.
    pub groups_claim: String,
    /// Where browsers may be sent back to.
    pub redirect_uris: Vec<String>,
}

/// Logins through one provider. Cheap to clone.
#[derive(Clone)]
pub struct Oidc {
    inner: Arc<Inner>,
}

struct Inner {
    accounts: Accounts,
    http: HttpClient,
    options: OidcOptions,
    issuer: IssuerUrl,
    known: Mutex<Option<(Timestamp, CoreProviderMetadata)>>,
}

/// A login that has begun.
pub struct BegunLogin {
    /// Where the browser goes.
    pub auth_url: String,
    /// What it keeps in a cookie until it comes back.
    pub browser_token: String,
    /// How long.
    pub lasts: SignedDuration,
}

/// What came of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OidcOutcome {
    /// Who it is.
    Welcome {
        /// Their account.
        account: Account,
        /// Where they wanted to go.
        return_to: String,
    },
    /// Nobody.
    Refused(OidcRefusal),
}

/// Why nobody is let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OidcRefusal {
    /// Used before, too late, or begun by another browser.
    #[error("this login was used before, is too old, or was begun by another browser")]
    UnknownState,
    /// What the provider says cannot be believed, and why.
    #[error("the identity provider: {0}")]
    Provider(String),
    /// Known at the provider, and not here.
    #[error("subject `{0}` is no user here, and neither it nor one of its groups may become one")]
    NotAllowed(String),
    /// May not log in.
    #[error("the account is disabled")]
    Disabled,
}

/// What keeps a login from beginning.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The provider.
    #[error("the identity provider {issuer} cannot be used: {why}")]
    Provider {
        /// Which.
        issuer: String,
        /// Why not.
        why: String,
    },
    /// Not one of those that are configured.
    #[error("browsers may not be sent back to {0}; list it in `oidc.redirect_uris`")]
    RedirectUri(String),
}

type Client =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

impl Oidc {
    /// Logins through the provider of the options. `fetch` may reach it, and nothing else is asked of it.
    pub fn new(accounts: Accounts, fetch: Fetch, options: OidcOptions) -> Result<Self, String> {
        let issuer = IssuerUrl::new(options.issuer.clone()).map_err(|error| error.to_string())?;
        let http = HttpClient::new(fetch, issuer.url())?;
        Ok(Self { inner: Arc::new(Inner { accounts, http, options, issuer, known: Mutex::new(None) }) })
    }

    /// What is configured.
    pub fn options(&self) -> &OidcOptions {
        &self.inner.options
    }

    /// Begins a login. `redirect_uri` must be one that is configured; `return_to` is a path of ours.
    pub async fn begin(&self, redirect_uri: &str, return_to: &str) -> Result<BegunLogin, OidcError> {
        let inner = &self.inner;
        if !inner.options.redirect_uris.iter().any(|listed| listed == redirect_uri) {
            return Err(OidcError::RedirectUri(redirect_uri.to_owned()));
        }
        let provider = |why| OidcError::Provider { issuer: inner.options.issuer.clone(), why };
        let client = self.client(LEAVING, redirect_uri).await.map_err(provider)?;
        let (state, nonce, verifier, browser_token) = (new_token(), new_token(), new_token(), new_token());
        let login = OidcLogin {
            browser_hash: hash(&browser_token),
            nonce: nonce.clone(),
            verifier: verifier.clone(),
            redirect_uri: redirect_uri.to_owned(),
            return_to: return_to.to_owned(),
            expires_at: inner.accounts.inner.clock.now() + AWAY_FOR,
        };
        inner.accounts.inner.store.begin_oidc_login(hash(&state), &login).await?;
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(verifier));
        let (auth_url, _, _) = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                move || CsrfToken::new(state),
                move || Nonce::new(nonce),
            )
            .add_scope(Scope::new("profile".into()))
            .set_pkce_challenge(challenge)
            .url();
        Ok(BegunLogin { auth_url: auth_url.into(), browser_token, lasts: AWAY_FOR })
    }

    /// Takes a browser back that brings `state` and `code`; `browser_token` is its cookie.
    pub async fn finish(&self, state: &str, code: &str, browser_token: &str) -> Result<OidcOutcome, StoreError> {
        let outcome = self.try_finish(state, code, browser_token).await?;
        match &outcome {
            Ok((account, _)) => tracing::info!(user.id = account.user.0, "logged in through the identity provider"),
            Err(refusal) => tracing::warn!(reason = %refusal, "a login through the identity provider was refused"),
        }
        Ok(match outcome {
            Ok((account, return_to)) => OidcOutcome::Welcome { account, return_to },
            Err(refusal) => OidcOutcome::Refused(refusal),
        })
    }

    async fn try_finish(
        &self,
        state: &str,
        code: &str,
        browser_token: &str,
    ) -> Result<Result<(Account, String), OidcRefusal>, StoreError> {
        let inner = &self.inner.accounts.inner;
        // Taken before anything is checked: a state that was tried is used up.
        let login = inner.store.take_oidc_login(&hash(state), inner.clock.now()).await?;
        let Some(login) = login.filter(|login| login.browser_hash == hash(browser_token)) else {
            return Ok(Err(OidcRefusal::UnknownState));
        };
        let claimed = match self.redeem(code, &login).await {
            Ok(claimed) => claimed,
            Err(why) => return Ok(Err(OidcRefusal::Provider(why))),
        };
        let account = match self.user(&claimed).await? {
            Ok(account) => account,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if account.disabled_at.is_some() {
            return Ok(Err(OidcRefusal::Disabled));
        }
        Ok(Ok((account, login.return_to)))
    }

    /// Redeems the code, and checks what comes for it.
    async fn redeem(&self, code: &str, login: &OidcLogin) -> Result<Claimed, String> {
        let inner = &self.inner;
        let client = self.client(COMING_BACK, &login.redirect_uri).await?;
        let request =
            client.exchange_code(AuthorizationCode::new(code.to_owned())).map_err(|error| error.to_string())?;
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(login.verifier.clone()));
        let answer = request.request_async(&inner.http).await.map_err(|error| http::in_words(&error))?;
        let token = answer.id_token().ok_or("the answer has no ID token")?;
        let clock = inner.accounts.inner.clock.reader();
        let now = move || DateTime::from_timestamp(clock().as_second(), 0).unwrap_or_default();
        let verifier = client.id_token_verifier().set_allowed_algs(SIGNATURES).set_time_fn(now);
        let claims =
            token.claims(&verifier, &Nonce::new(login.nonce.clone())).map_err(|error| http::in_words(&error))?;
        let name = claims.preferred_username().map(|name| name.to_string());
        let groups = groups(token, &inner.options.groups_claim);
        Ok(Claimed { subject: claims.subject().to_string(), name, groups })
    }

    /// The user with that subject; a new one if the operator allows it.
    async fn user(&self, claimed: &Claimed) -> Result<Result<Account, OidcRefusal>, StoreError> {
        let (accounts, options) = (&self.inner.accounts.inner, &self.inner.options);
        let issuer = options.issuer.as_str();
        let subject = claimed.subject.as_str();
        if let Some(account) = accounts.store.identity(issuer, subject).await? {
            return Ok(Ok(account));
        }
        let allowed = options.allow_subjects.iter().any(|allowed| allowed == subject)
            || claimed.groups.iter().any(|group| options.allow_groups.contains(group));
        if !allowed {
            return Ok(Err(OidcRefusal::NotAllowed(subject.to_owned())));
        }
        let wanted = name::valid(claimed.name.as_deref().unwrap_or(subject));
        for number in 1..=NAMESAKES {
            let name = name::numbered(&wanted, number);
            let now = accounts.clock.now();
            match accounts.store.add_identified_user(&name, Role::User, issuer, subject, now).await {
                Ok(user) => {
                    let account = accounts.store.account(user).await?;
                    return Ok(account.ok_or(OidcRefusal::Disabled));
                }
                // Somebody has the name, or another login of the same person was faster.
                Err(StoreError::Conflict { .. }) => {
                    if let Some(account) = accounts.store.identity(issuer, subject).await? {
                        return Ok(Ok(account));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Err(OidcRefusal::NotAllowed(subject.to_owned())))
    }

    async fn client(&self, believed_for: SignedDuration, redirect_uri: &str) -> Result<Client, String> {
        let options = &self.inner.options;
        let secret = options.client_secret.clone().map(ClientSecret::new);
        let metadata = self.metadata(believed_for).await?;
        let client = CoreClient::from_provider_metadata(metadata, ClientId::new(options.client_id.clone()), secret);
        let redirect_uri = RedirectUrl::new(redirect_uri.to_owned()).map_err(|error| error.to_string())?;
        Ok(client.set_redirect_uri(redirect_uri))
    }

    /// What the provider says about itself and its keys.
    async fn metadata(&self, believed_for: SignedDuration) -> Result<CoreProviderMetadata, String> {
        let inner = &self.inner;
        let now = inner.accounts.inner.clock.now();
        let known = inner.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, metadata)) = known
            && now.duration_since(at) < believed_for
        {
            return Ok(metadata);
        }
        let metadata = CoreProviderMetadata::discover_async(inner.issuer.clone(), &inner.http).await;
        let metadata = metadata.map_err(|error| http::in_words(&error))?;
        // Keys and tokens are asked for by `http`, which refuses other hosts; this one is where the browser goes.
        inner.http.is_on_issuer(metadata.authorization_endpoint().url())?;
        *inner.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, metadata.clone()));
        Ok(metadata)
    }
}

/// Who the provider says it is.
struct Claimed {
    subject: String,
    name: Option<String>,
    groups: Vec<String>,
}

/// The groups in a token that has been verified.
fn groups(token: &CoreIdToken, claim: &str) -> Vec<String> {
    let text = token.to_string();
    let payload = text.split('.').nth(1).and_then(|part| BASE64URL_NOPAD.decode(part.as_bytes()).ok());
    let claims: Value = payload.and_then(|payload| serde_json::from_slice(&payload).ok()).unwrap_or_default();
    match &claims[claim] {
        Value::String(group) => vec![group.clone()],
        Value::Array(groups) => groups.iter().filter_map(|group| group.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// Whether two URLs have the same host.
fn same_host(one: &Url, other: &Url) -> bool {
    one.host_str().is_some() && one.host_str() == other.host_str()
}
