import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { StaticUserSettings } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { type Attempt, type AuthenticationModule, identity, wayOf } from './authentication-module.ts';
import type { PasswordComparisons } from './password-comparisons.ts';

interface StaticModuleParts {
  readonly crypto: Pick<Crypto, 'decrypt' | 'hash'>;
  readonly comparisons: Pick<PasswordComparisons, 'admit' | 'compare'>;
  /** The role of whoever claims to be nobody. */
  readonly publicRole: string;
}

/**
 * One name and password that stand in the configuration, such as anonymous: a role with next to nothing. That one is
 * no secret, and waits for nobody, or else anybody could lock out all others; who has more may not be guessed.
 */
export function staticModule(
  name: string,
  settings: StaticUserSettings,
  { crypto, comparisons, publicRole }: StaticModuleParts,
): AuthenticationModule {
  const { username, password, defaultUserRoles, queryOnResource } = settings;
  // Asked for when somebody of the name comes: a key that is not there keeps nobody else out.
  const plain = async () =>
    typeof password === 'string' ? password : String(await crypto.decrypt(password));
  const facts = {
    name: username,
    module: name,
    component: queryOnResource,
    id: username,
    roles: defaultUserRoles,
    way: wayOf([username, queryOnResource]),
  };
  let stamp: Promise<string> | undefined;
  const itself = async () => {
    stamp ??= plain()
      .then((text) => stampOf(username, text))
      .catch((error: unknown) => {
        // The key that it lacks may come.
        stamp = undefined;
        throw error;
      });
    return identity(facts, await stamp);
  };
  // Its script may grant more.
  const isPublic =
    defaultUserRoles.every((role) => role === publicRole) && settings['augmentSecurityContext'] === undefined;
  let hashed: ReturnType<Crypto['hash']> | undefined;
  const isRight = async (attempt: Attempt, given: string) => {
    if (isPublic) return timingSafeEqual(digest(given), digest(await plain()));
    await comparisons.admit(attempt);
    hashed ??= typeof password === 'string' ? crypto.hash(password, 'SHA-512') : undefined;
    return comparisons.compare(attempt, hashed === undefined ? password : await hashed);
  };
  const authenticate = async (attempt: Attempt) => {
    const { credentials } = attempt;
    if (credentials?.username !== username) return undefined;
    return (await isRight(attempt, credentials.password)) ? itself() : undefined;
  };
  return {
    name,
    authenticate,
    verifyPassword: authenticate,
    async refresh({ authenticationId }) {
      return authenticationId === username ? itself() : undefined;
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
