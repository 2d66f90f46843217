import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

const derive = promisify(argon2);

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** A password hash as it is stored: `{"$crypto":{"type":"salted-hash","value":{"algorithm":"ARGON2ID",…}}}`. */
export async function hashPassword(password: string): Promise<JsonObject> {
  const salt = randomBytes(16);
  const data = await derive('argon2id', { message: Buffer.from(password), nonce: salt, ...COST });
  return {
    $crypto: {
      type: 'salted-hash',
      value: {
        algorithm: 'ARGON2ID',
        memory: COST.memory,
        passes: COST.passes,
        parallelism: COST.parallelism,
        salt: salt.toString('base64'),
        data: data.toString('base64'),
      },
    },
  };
}

/** Compares in constant time. Anything that is not a known hash matches nothing. */
export async function matchesPassword(password: string, stored: JsonValue | undefined): Promise<boolean> {
  const envelope = isObject(stored) && isObject(stored['$crypto']) ? stored['$crypto'] : undefined;
  const value = envelope?.['type'] === 'salted-hash' ? envelope['value'] : undefined;
  if (!isObject(value) || value['algorithm'] !== 'ARGON2ID') return false;
  const { memory, passes, parallelism, salt, data } = value;
  if (typeof memory !== 'number' || typeof passes !== 'number' || typeof parallelism !== 'number')
    return false;
  if (typeof salt !== 'string' || typeof data !== 'string') return false;
  const expected = Buffer.from(data, 'base64');
  const actual = await derive('argon2id', {
    message: Buffer.from(password),
    nonce: Buffer.from(salt, 'base64'),
    memory,
    passes,
    parallelism,
    tagLength: expected.length,
  });
  return timingSafeEqual(expected, actual);
}
