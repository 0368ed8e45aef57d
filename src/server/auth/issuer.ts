/** Session tokens: issued for the local owner, and verified, those of an external identity provider too. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Clock } from '../process/clock.ts';
import type { ServerOptions } from '../process/options.ts';
import { readOrMakeSecret, type SecretKind } from './secrets.ts';

export const localIssuer = 'urn:decision-workbench:local';
export const localAudience = 'decision-workbench';
const localSubject = 'local-owner';
const sessionSeconds = 24 * 3600;
const maxTokenLength = 8 * 1024;

type KeyFile = { kid: string; private: Record<string, unknown>; public: Record<string, unknown> };

export type Identity = {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  expiresAt: number;
};

function makeKeyFile(): string {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = pair.publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(JSON.stringify(publicKey)).digest('base64url').slice(0, 16);
  const file: KeyFile = { kid, private: pair.privateKey.export({ format: 'jwk' }), public: publicKey };
  return JSON.stringify(file);
}

/** Whether the text is a key pair whose halves belong together. */
function isKeyFile(text: string): boolean {
  try {
    const { kid, private: privateKey, public: publicKey } = JSON.parse(text) as KeyFile;
    const derived = createPublicKey(createPrivateKey({ key: privateKey, format: 'jwk' })).export({ format: 'jwk' });
    return typeof kid === 'string' && derived.x === publicKey['x'] && derived.y === publicKey['y'];
  } catch {
    // Any fault in it means that it is not a key.
    return false;
  }
}

/** The key pair that signs session tokens. */
export const issuerKeyKind: SecretKind = { name: 'issuer-key.json', make: makeKeyFile, isSound: isKeyFile };

const keysMaxAgeMs = 10 * 60_000;
/** The time between two fetches at least, however many tokens name a key that is not known. */
const keysCooldownMs = 30_000;
const keysTimeoutMs = 5_000;

/** The keys of an external provider, fetched again when a token names an unknown one. Rejects with `unavailable`. */
async function remoteKeys(jwksUrl: string): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, errors } = await import('jose');
  const find = createRemoteJWKSet(new URL(jwksUrl), {
    cacheMaxAge: keysMaxAgeMs,
    cooldownDuration: keysCooldownMs,
    timeoutDuration: keysTimeoutMs,
  });
  const wrongToken = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (cause) {
      if (wrongToken.some((kind) => cause instanceof kind)) throw cause;
      throw new WorkbenchError('unavailable', 'The keys of the identity provider cannot be read now.', undefined, {
        cause,
      });
    }
  };
}

/**
 * The local identity provider (ES256) and the reader of session tokens, also an external provider's. `verify` gives
 * null for a token not to be believed, and throws `unavailable` without keys. Throws StartError `data`.
 */
export function createIssuer(options: Pick<ServerOptions, 'dataDir' | 'oidc'>, clock: Clock) {
  const keyFile = JSON.parse(readOrMakeSecret(options.dataDir, issuerKeyKind)) as KeyFile;
  let remote: JWTVerifyGetKey | null = null;

  return {
    /** Public keys, as `/.well-known/jwks.json` serves them. */
    jwks(): { keys: Record<string, unknown>[] } {
      const { kid, public: publicKey } = keyFile;
      return { keys: [{ ...publicKey, kid, alg: 'ES256', use: 'sig' }] };
    },
    /** A session token for the local owner; valid for a day. */
    async issue(): Promise<{ token: string; expiresAt: number }> {
      const { SignJWT, importJWK } = await import('jose');
      const issuedAt = Math.floor(clock.now() / 1000);
      const token = await new SignJWT({ name: 'Owner' })
        .setProtectedHeader({ alg: 'ES256', kid: keyFile.kid })
        .setIssuer(localIssuer)
        .setAudience(localAudience)
        .setSubject(localSubject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + sessionSeconds)
        .sign(await importJWK(keyFile.private, 'ES256'));
      return { token, expiresAt: (issuedAt + sessionSeconds) * 1000 };
    },
    async verify(token: string): Promise<Identity | null> {
      if (token.length > maxTokenLength || token.split('.').length !== 3) return null;
      const { jwtVerify, importJWK, decodeJwt, errors } = await import('jose');
      const common = {
        clockTolerance: 60,
        currentDate: new Date(clock.now()),
        requiredClaims: ['sub', 'exp', 'iat', 'iss', 'aud'],
      };
      let payload: JWTPayload;
      try {
        if (options.oidc !== null && decodeJwt(token).iss === options.oidc.issuer) {
          remote ??= await remoteKeys(options.oidc.jwksUrl);
          const { issuer, audience } = options.oidc;
          ({ payload } = await jwtVerify(token, remote, {
            ...common,
            algorithms: ['ES256', 'RS256', 'EdDSA'],
            issuer,
            audience,
          }));
        } else {
          ({ payload } = await jwtVerify(token, await importJWK(keyFile.public, 'ES256'), {
            ...common,
            algorithms: ['ES256'],
            issuer: localIssuer,
            audience: localAudience,
          }));
        }
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
        throw error;
      }
      // The library checks the expiry; a token from the future is no more to be believed than an expired one.
      if (payload.iat !== undefined && payload.iat * 1000 > clock.now() + 60_000) return null;
      if (payload.sub === undefined || payload.sub === '') return null;
      return {
        issuer: payload.iss ?? localIssuer,
        subject: payload.sub,
        email: typeof payload['email'] === 'string' ? payload['email'] : null,
        name: typeof payload['name'] === 'string' ? payload['name'] : null,
        expiresAt: (payload.exp ?? 0) * 1000,
      };
    },
  };
}

export type Issuer = ReturnType<typeof createIssuer>;
