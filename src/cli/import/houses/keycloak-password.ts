import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { storedHash } from './house-rows.ts';

/** Our names of algorithms by Keycloak's. */
const PBKDF2: Readonly<Record<string, string>> = {
  pbkdf2: 'PBKDF2-SHA1',
  'pbkdf2-sha256': 'PBKDF2',
  'pbkdf2-sha512': 'PBKDF2-SHA512',
};

/** The hash of a user's password, as it is stored here, and what does not come of the user's ways to log in. */
export function keycloakPassword(user: JsonObject): {
  readonly password: JsonObject | undefined;
  readonly notes: readonly string[];
} {
  const given = user['credentials'];
  const notes: string[] = [];
  let password: JsonObject | undefined;
  for (const credential of Array.isArray(given) ? given.filter(isObject) : []) {
    const type = String(credential['type']);
    if (type !== 'password') {
      notes.push(`Its credential '${type}' stays: it is made anew here`);
      continue;
    }
    const hash = hashOf(credential);
    if (hash === undefined) {
      const { algorithm } = parsed(credential['credentialData']);
      notes.push(
        `Its password is hashed by ${String(algorithm)}, which is not known here: it needs a new one`,
      );
    } else password ??= storedHash(hash);
  }
  return { password, notes };
}

function hashOf(credential: JsonObject): JsonObject | undefined {
  const { algorithm, hashIterations, additionalParameters } = parsed(credential['credentialData']);
  const { value, salt } = parsed(credential['secretData']);
  if (typeof value !== 'string' || typeof salt !== 'string' || typeof algorithm !== 'string')
    return undefined;
  const secret = { salt, data: value };
  if (algorithm === 'argon2') return argon2(hashIterations, additionalParameters, secret);
  const name = PBKDF2[algorithm];
  if (name === undefined || typeof hashIterations !== 'number') return undefined;
  return { algorithm: name, iterations: hashIterations, ...secret };
}

/** Keycloak's costs are lists of one text each. */
function argon2(
  passes: JsonValue | undefined,
  parameters: JsonValue | undefined,
  secret: JsonObject,
): JsonObject | undefined {
  const first = (name: string): string => {
    const value = isObject(parameters) ? parameters[name] : undefined;
    return String(Array.isArray(value) ? value[0] : value);
  };
  const [memory, parallelism] = [Number(first('memory')), Number(first('parallelism'))];
  const isSame = first('type') === 'id' && first('version') === '1.3';
  if (!isSame || typeof passes !== 'number' || !Number.isInteger(memory) || !Number.isInteger(parallelism))
    return undefined;
  return { algorithm: 'ARGON2ID', memory, passes, parallelism, ...secret };
}

function parsed(text: JsonValue | undefined): JsonObject {
  if (isObject(text)) return text;
  try {
    const found: unknown = JSON.parse(String(text));
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}
