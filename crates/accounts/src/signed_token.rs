//! Signed tokens (JWT, HS256): issued at a login, read back, given back. Nothing about them is stored but those that were
//! given back; the user's generation ends them all.

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, Header, Validation, decode, encode};
use model::UserId;
use model::account::Account;
use serde::{Deserialize, Serialize};

use crate::accounts::Accounts;
use crate::derived_keys::DerivedKeys;
use crate::secret_token::random;

/// A token as it is given out.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedToken {
    /// The secret.
    pub token: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A token longer than this is none of ours.
const LONGEST: usize = 2_048;

/// All of them are required.
#[derive(Serialize, Deserialize)]
struct Claims {
    sub: String,
    iat: i64,
    exp: i64,
    jti: String,
    r#gen: i64,
}

/// What a valid token says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) user: UserId,
    pub(crate) generation: i64,
    pub(crate) jti: [u8; 16],
    pub(crate) expires_at: Timestamp,
}

impl Accounts {
    /// A token for somebody who has just logged in.
    pub fn issue_token(&self, account: &Account) -> SignedToken {
        let inner = &self.inner;
        let now = inner.clock.now();
        // Whole seconds, as the token has them.
        let expires_at = Timestamp::from_second((now + inner.options.token).as_second()).unwrap_or(now);
        let claims = Claims {
            sub: account.user.to_string(),
            iat: now.as_second(),
            exp: expires_at.as_second(),
            jti: HEXLOWER.encode(&random::<16>()),
            r#gen: account.generation,
        };
        let token = encode(&Header::new(Algorithm::HS256), &claims, &inner.keys.sign);
        SignedToken { token: token.expect("plain claims can be signed"), expires_at }
    }
}

/// What the token says, if it is ours and has not ended. Whether it was given back is the store's to say.
pub(crate) fn read(keys: &DerivedKeys, token: &str, now: Timestamp) -> Option<Said> {
    if token.len() > LONGEST {
        return None;
    }
    let mut rules = Validation::new(Algorithm::HS256);
    // The library would look at the machine's clock.
    rules.validate_exp = false;
    rules.required_spec_claims.clear();
    let Claims { sub, iat: _, exp, jti, r#gen } = decode::<Claims>(token, &keys.verify, &rules).ok()?.claims;
    let expires_at = Timestamp::from_second(exp).ok()?;
    if expires_at <= now {
        return None;
    }
    let jti = HEXLOWER.decode(jti.as_bytes()).ok()?.try_into().ok()?;
    Some(Said { user: UserId(sub.parse().ok()?), generation: r#gen, jti, expires_at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::BASE64URL_NOPAD;
    use serde_json::{Value, json};

    fn now() -> Timestamp {
        Timestamp::from_second(1_767_225_600).unwrap()
    }

    fn claims() -> Value {
        let second = now().as_second();
        json!({ "sub": "7", "iat": second, "exp": second + 60, "jti": "00112233445566778899aabbccddeeff", "gen": 3 })
    }

    fn signed(keys: &DerivedKeys, header: &Header, claims: &Value) -> String {
        encode(header, claims, &keys.sign).unwrap()
    }

    #[test]
    fn a_token_is_read_until_it_ends() {
        let keys = DerivedKeys::new(b"0123456789abcdef0123456789abcdef");
        let token = signed(&keys, &Header::new(Algorithm::HS256), &claims());
        let said = read(&keys, &token, now()).unwrap();
        assert_eq!((said.user, said.generation, said.jti[1]), (UserId(7), 3, 0x11));
        let second = jiff::SignedDuration::from_secs(1);
        assert!(read(&keys, &token, said.expires_at - second).is_some());
        assert!(read(&keys, &token, said.expires_at).is_none(), "no leeway");
        assert!(read(&DerivedKeys::new(b"another secret of at least 32 bytes"), &token, now()).is_none());
    }

    #[test]
    fn every_claim_is_required() {
        let keys = DerivedKeys::new(b"0123456789abcdef0123456789abcdef");
        for claim in ["sub", "iat", "exp", "jti", "gen"] {
            let mut without = claims();
            without.as_object_mut().unwrap().remove(claim);
            let token = signed(&keys, &Header::new(Algorithm::HS256), &without);
            assert!(read(&keys, &token, now()).is_none(), "{claim}");
        }
    }

    #[test]
    fn no_other_algorithm_will_do() {
        let keys = DerivedKeys::new(b"0123456789abcdef0123456789abcdef");
        let other = signed(&keys, &Header::new(Algorithm::HS512), &claims());
        assert!(read(&keys, &other, now()).is_none(), "HS512");
        let part = |json: Value| BASE64URL_NOPAD.encode(json.to_string().as_bytes());
        let good = signed(&keys, &Header::new(Algorithm::HS256), &claims());
        let signature = good.rsplit('.').next().unwrap();
        for alg in ["none", "None", "NONE", "RS256", "HS256"] {
            let head = part(json!({ "alg": alg, "typ": "JWT" }));
            for signature in ["", signature] {
                let mut forged = claims();
                forged["sub"] = "1".into();
                let token = format!("{head}.{}.{signature}", part(forged));
                assert!(read(&keys, &token, now()).is_none(), "{alg} {signature}");
            }
        }
        for nonsense in ["", ".", "..", "a.b.c", &"x".repeat(1_000_000)] {
            assert!(read(&keys, nonsense, now()).is_none());
        }
    }
}
