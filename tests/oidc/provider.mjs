// The identity provider of the tests: oidc-provider on a free port of 127.0.0.1, with a person who agrees to everything.
// It prints its address as one line, and ends when its standard input does.
//
// POST /test with JSON changes what it does from then on; GET /test/requests lists the paths that were asked for.
//   subject    who logs in
//   claims     what is said about them
//   token      how the answer of the token endpoint is falsified (see `falsified`)
//   discovery  fields that replace those of the discovery document
// Everything that is not falsified is left to oidc-provider.

import { createServer } from 'node:http';
import { once } from 'node:events';
import Provider from 'oidc-provider';
import { SignJWT, base64url, decodeJwt, exportJWK, generateKeyPair } from 'jose';

const [clientId, clientSecret, ...redirectUris] = process.argv.slice(2);
const wish = { subject: 'nobody', claims: {}, token: 'as it is', discovery: {} };
const requests = [];

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const stranger = await generateKeyPair('RS256');

const provider = new Provider(issuer, {
  clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['only for tests'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  pkce: { required: () => true },
  // The claims of a scope are in the ID token.
  conformIdTokenClaims: false,
  claims: { openid: ['sub'], profile: ['preferred_username', 'email', 'groups'] },
  findAccount: (_, subject) => ({ accountId: subject, claims: () => ({ sub: subject, ...wish.claims }) }),
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid profile');
    await grant.save();
    return grant;
  },
});

provider.use(async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'token' && ctx.body?.id_token) {
    ctx.body = await falsified(ctx.body);
  }
  if (ctx.oidc?.route === 'discovery') {
    ctx.body = { ...ctx.body, ...wish.discovery };
  }
});

// The answer of the token endpoint, with one thing wrong. Unless the signature is what is wrong, it is right.
async function falsified(answer) {
  const claims = decodeJwt(answer.id_token);
  const [head, payload, signature] = answer.id_token.split('.');
  const encoded = (value) => base64url.encode(JSON.stringify(value));
  const signed = (changes, alg = 'RS256', key = privateKey) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg, kid: 'one' }).sign(key);
  const secret = new TextEncoder().encode(clientSecret);
  const kinds = {
    'as it is': () => answer.id_token,
    'signed again': () => signed({}),
    'unsigned': () => `${encoded({ alg: 'none' })}.${payload}.`,
    'another payload': () => `${head}.${encoded({ ...claims, sub: 'somebody else' })}.${signature}`,
    'another key': () => signed({}, 'RS256', stranger.privateKey),
    'our own secret': () => signed({}, 'HS256', secret),
    'another nonce': () => signed({ nonce: 'another' }),
    'no nonce': () => signed({ nonce: undefined }),
    'another issuer': () => signed({ iss: 'https://login.example' }),
    'another audience': () => signed({ aud: 'another' }),
    'several audiences': () => signed({ aud: [clientId, 'another'] }),
    'expired': () => signed({ exp: claims.iat - 3600 }),
    'missing': () => undefined,
  };
  return { ...answer, id_token: await kinds[wish.token]() };
}

async function answer(request, response) {
  const { pathname } = new URL(request.url, issuer);
  if (pathname === '/test') {
    Object.assign(wish, JSON.parse((await request.toArray()).join('')));
    response.end();
  } else if (pathname === '/test/requests') {
    response.end(JSON.stringify(requests));
  } else {
    requests.push(pathname);
    if (pathname.startsWith('/interaction/')) {
      await provider.interactionFinished(request, response, { login: { accountId: wish.subject } });
    } else {
      await provider.callback()(request, response);
    }
  }
}

server.on('request', (request, response) =>
  answer(request, response).catch((error) => {
    console.error(error);
    response.statusCode = 500;
    response.end(String(error));
  }),
);
process.stdin.on('end', () => process.exit());
process.stdin.resume();
console.log(issuer);
