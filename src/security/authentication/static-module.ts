import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { JsonValue } from '#json/index.ts';
import { type Attempt, type AuthenticationModule, identity } from './authentication-module.ts';
import type { StaticUserSettings } from './module-settings-schema.ts';

/** One name and password that stand in the configuration, such as anonymous: a role with next to nothing. */
export function staticModule(
  name: string,
  settings: StaticUserSettings,
  decrypt: (envelope: JsonValue) => Promise<JsonValue>,
): AuthenticationModule {
  const { username, password, defaultUserRoles, queryOnResource } = settings;
  // Asked for when somebody of the name comes: a key that is not there keeps nobody else out.
  const plain = async () => (typeof password === 'string' ? password : String(await decrypt(password)));
  const itself = identity({
    name: username,
    module: name,
    component: queryOnResource,
    id: username,
    roles: defaultUserRoles,
  });
  const authenticate = async ({ credentials }: Attempt) => {
    if (credentials?.username !== username) return undefined;
    const isRight = timingSafeEqual(digest(credentials.password), digest(await plain()));
    return isRight ? itself : undefined;
  };
  let stamp: Promise<string> | undefined;
  return {
    name,
    authenticate,
    verifyPassword: authenticate,
    async refresh({ authenticationId }) {
      if (authenticationId !== username) return undefined;
      stamp ??= plain().then((text) => stampOf(username, text));
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
