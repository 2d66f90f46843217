import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApiKeySettings } from '#config/index.ts';
import { type AuthenticationModule, identity } from './authentication-module.ts';

/** `X-Svc-Api-Key: <id>.<secret>`. The configuration holds a hash; the secret is long, so a fast one will do. */
export function apiKeyModule(name: string, { keys, defaultUserRoles }: ApiKeySettings): AuthenticationModule {
  const known = new Map(keys.map((key) => [key.id, key]));
  const identify = ({ id, roles, hash: stamp }: (typeof keys)[number]) =>
    identity(
      {
        name: id,
        module: name,
        component: 'authentication/api-key',
        id,
        roles: [...defaultUserRoles, ...roles],
      },
      stamp,
    );
  return {
    name,
    async authenticate({ header }) {
      const sent = header('x-svc-api-key');
      const id = sent?.slice(0, sent.indexOf('.'));
      const key = known.get(id ?? '');
      if (sent === undefined || key === undefined) return undefined;
      const expected = Buffer.from(key.hash, 'base64url');
      const actual = hash('sha256', sent, 'buffer');
      if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
      return isOver(key) ? undefined : identify(key);
    },
    async refresh({ authenticationId }) {
      const key = known.get(authenticationId);
      return key === undefined || isOver(key) ? undefined : identify(key);
    },
  };
}

function isOver({ expiresAt }: ApiKeySettings['keys'][number]): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}

const SECRET_BYTES = 32;

/** A new key, and the hash of it that the configuration holds. */
export function createApiKey(id: string): { readonly key: string; readonly hash: string } {
  const key = `${id}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { key, hash: hash('sha256', key, 'base64url') };
}
