import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Attempt, type AuthenticationModule, identity } from './authentication-module.ts';
import type { StaticUserSettings } from './module-settings-schema.ts';

/** One name and password that stand in the configuration, such as anonymous: a role with next to nothing. */
export function staticModule(name: string, settings: StaticUserSettings): AuthenticationModule {
  const { username, password, defaultUserRoles, queryOnResource } = settings;
  const itself = identity({
    name: username,
    module: name,
    component: queryOnResource,
    id: username,
    roles: defaultUserRoles,
  });
  const expected = digest(password);
  const authenticate = async ({ credentials }: Attempt) =>
    credentials?.username === username && timingSafeEqual(digest(credentials.password), expected)
      ? itself
      : undefined;
  let stamp: Promise<string> | undefined;
  return {
    name,
    authenticate,
    verifyPassword: authenticate,
    async refresh({ authenticationId }) {
      if (authenticationId !== username) return undefined;
      stamp ??= stampOf(username, password);
      return { ...itself, stamp: await stamp };
    },
  };
}

/** Sessions keep it in the database, where a quick hash of a short password would give the password away. */
async function stampOf(username: string, password: string): Promise<string> {
  const derived = (await promisify(scrypt)(password, `static user ${username}`, 16)) as Buffer;
  return derived.toString('base64url');
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
