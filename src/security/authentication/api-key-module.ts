import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeySettings } from '#config/index.ts';
import type { SecurityContext } from '#resource/index.ts';
import { type AuthenticationModule, type Identity, identity, wayOf } from './authentication-module.ts';
import type { KnownOwners } from './known-owners.ts';
import type { StoredKeys } from './stored-keys.ts';

/** What the id of a key may be. */
export const KEY_ID = /^[\w-]{1,64}$/;

export interface ApiKeyParts {
  readonly stored: StoredKeys;
  readonly owners: Pick<KnownOwners, 'replace'>;
  /** The hashes of all keys in the configuration that have the id. */
  readonly hashesOf: (id: string) => readonly string[];
}

interface Key {
  readonly id: string;
  readonly hash: string;
  readonly roles: readonly string[];
}

/**
 * `X-Svc-Api-Key: <id>.<secret>`, or the same as a bearer token. The configuration, and the database for the keys of `/apikey`, hold
 * a hash; the secret is long, so a fast one will do. What the configuration names is not asked of the database, but for whether it
 * is the key that has kept what is kept under its id.
 */
export function apiKeyModule(
  name: string,
  { keys, defaultUserRoles }: ApiKeySettings,
  { stored, owners, hashesOf }: ApiKeyParts,
): AuthenticationModule {
  const configured = new Map(keys.map((key) => [key.id, key]));
  const identify = (component: string, { id, roles, hash: stamp }: Key): Identity =>
    identity({ name: id, module: name, component, id, roles: [...defaultUserRoles, ...roles] }, stamp);
  return {
    name,
    async authenticate({ header }) {
      const sent = header('x-svc-api-key') ?? asToken(header('authorization'));
      if (sent === undefined) return undefined;
      const id = sent.slice(0, Math.max(sent.indexOf('.'), 0));
      const key = configured.get(id);
      if (key !== undefined) {
        if (!isOf(sent, key) || isOver(key)) return undefined;
        await owners.replace(`${CONFIGURED}/${id}`, wayOf(key.hash), hashesOf(id).map(wayOf));
        return identify(CONFIGURED, key);
      }
      const row = KEY_ID.test(id) ? await stored.find(id) : undefined;
      if (row === undefined || !isOf(sent, row)) return undefined;
      await stored.noteUse(row);
      return identify(STORED, row);
    },
    async refresh({ authenticationId: id, component }) {
      const key = configured.get(id);
      if (key !== undefined) return isOver(key) ? undefined : identify(CONFIGURED, key);
      const row = component === STORED ? await stored.find(id) : undefined;
      return row === undefined ? undefined : identify(STORED, row);
    },
  };
}

/** As programs send it that can only send tokens, such as clients of SCIM; the tokens of an issuer have two dots. */
function asToken(authorization = ''): string | undefined {
  return /^bearer +([\w-]{1,64}\.[^\s.]+)$/i.exec(authorization)?.[1];
}

const CONFIGURED = 'authentication/api-key';
const STORED = 'apikey';

/** Whoever has come in by a key, or by a session that one has begun. */
export function isKey({ authorization }: SecurityContext): boolean {
  const { component, moduleId } = authorization;
  return moduleId === 'API_KEY' || component === CONFIGURED || component === STORED;
}

function isOf(sent: string, key: Key): boolean {
  const expected = Buffer.from(key.hash, 'base64url');
  const actual = hash('sha256', sent, 'buffer');
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function isOver({ expiresAt }: ApiKeySettings['keys'][number]): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

const SECRET_BYTES = 32;

/** A new key, and the hash of it that is kept. */
export function createApiKey(id: string): { readonly key: string; readonly hash: string } {
  const key = `${id}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { key, hash: hash('sha256', key, 'base64url') };
}
