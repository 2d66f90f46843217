import { argon2, pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { getMember, type JsonObject } from '#json/index.ts';
import { FairQueue } from '#lifecycle/index.ts';
import { bytesOf } from './envelope.ts';
import type { HashAlgorithm } from './hash-algorithm.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const LONGEST_HASH = 512;

/**
 * Hashes that a thread makes at once. Each takes a thread of the pool that files, names and compression need, too, which
 * has four for the whole process; and each core that hashes answers nobody.
 */
export const HASHES_AT_ONCE = isMainThread
  ? Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))
  : 1;

const turns = new FairQueue({
  atOnce: HASHES_AT_ONCE,
  // Whoever lets others ask for hashes bounds how many.
  mostWaiting: { urgent: 0, other: Number.POSITIVE_INFINITY },
  refuse: () => new Error('There is always room'),
});

type Costs = Readonly<Record<string, number>>;

/**
 * Costs are stored with each hash, so raising them leaves old hashes valid. What a stored one may ask is bounded: anybody has it compared
 * with a guess, for which all others wait, and it may have come with the accounts of another server.
 */
function slowHash<C extends Costs>(algorithm: {
  readonly name: string;
  readonly costs: C;
  readonly most: C;
  /** How much there is to do, in a unit of the algorithm's own. */
  work(costs: C): number;
  readonly mostWork: number;
  /** What is less takes less time than a hash of ours. */
  readonly quickBelow: number;
  derive(plain: string, salt: Buffer, costs: C, length: number): Promise<Buffer>;
}): HashAlgorithm {
  const { name, costs, most, mostWork, quickBelow } = algorithm;
  const costsIn = (value: JsonObject): C | undefined => {
    const stored = costsOf(value, most);
    return stored === undefined || algorithm.work(stored) > mostWork ? undefined : stored;
  };
  const derive: typeof algorithm.derive = (...given) =>
    turns.run('', false, () => algorithm.derive(...given));
  return {
    name,
    takes: (value) => costsIn(value) !== undefined,
    isQuick(value) {
      const stored = costsIn(value);
      return stored === undefined || algorithm.work(stored) < quickBelow;
    },
    async hash(plain) {
      const salt = randomBytes(SALT_BYTES);
      const data = await derive(plain, salt, costs, HASH_BYTES);
      return { algorithm: name, ...costs, salt: salt.toString('base64'), data: data.toString('base64') };
    },
    async matches(plain, value) {
      const stored = costsIn(value);
      const salt = bytesOf(value, 'salt');
      const expected = bytesOf(value, 'data');
      if (stored === undefined || salt === undefined || expected === undefined) return false;
      if (expected.length < 16 || expected.length > LONGEST_HASH) return false;
      try {
        return timingSafeEqual(expected, await derive(plain, salt, stored, expected.length));
      } catch {
        // Costs that the algorithm itself refuses, such as a block size that is no power of two.
        return false;
      }
    },
  };
}

function costsOf<C extends Costs>(value: JsonObject, most: C): C | undefined {
  const costs: Record<string, number> = {};
  for (const [name, limit] of Object.entries(most)) {
    const cost = getMember(value, name);
    if (typeof cost !== 'number' || !Number.isInteger(cost) || cost < 1 || cost > limit) return undefined;
    costs[name] = cost;
  }
  return costs as C;
}

const deriveArgon2 = promisify(argon2);
const deriveScrypt = promisify<string, Buffer, number, object, Buffer>(scrypt);
const derivePbkdf2 = promisify(pbkdf2);

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. */
export const ARGON2ID = slowHash({
  name: 'ARGON2ID',
  costs: { memory: 19_456, passes: 2, parallelism: 1 },
  most: { memory: 262_144, passes: 16, parallelism: 16 },
  work: ({ memory, passes }) => memory * passes,
  mostWork: 2 ** 20,
  quickBelow: 19_456,
  derive: (plain, salt, costs, tagLength) =>
    deriveArgon2('argon2id', { message: Buffer.from(plain), nonce: salt, ...costs, tagLength }),
});

/** OWASP: N = 2^17, r = 8, p = 1, which takes 128 MiB. */
export const SCRYPT = slowHash({
  name: 'SCRYPT',
  costs: { cost: 131_072, blockSize: 8, parallelization: 1 },
  most: { cost: 262_144, blockSize: 16, parallelization: 8 },
  // Each unit of work takes 128 bytes of memory.
  work: ({ cost, blockSize, parallelization }) => cost * blockSize * parallelization,
  mostWork: 2 ** 21,
  quickBelow: 2 ** 17,
  derive: (plain, salt, costs, length) =>
    deriveScrypt(plain, salt, length, { ...costs, maxmem: 160 * costs.cost * costs.blockSize }),
});

function pbkdf2With(name: string, digest: string, iterations: number): HashAlgorithm {
  return slowHash({
    name,
    costs: { iterations },
    most: { iterations: 3_000_000 },
    work: ({ iterations }) => iterations,
    mostWork: 3_000_000,
    quickBelow: 100_000,
    derive: (plain, salt, costs, length) => derivePbkdf2(plain, salt, costs.iterations, length, digest),
  });
}

/** OWASP: HMAC-SHA-256 with 600,000 rounds, HMAC-SHA-512 with 210,000. */
export const PBKDF2 = pbkdf2With('PBKDF2', 'sha256', 600_000);
export const PBKDF2_SHA512 = pbkdf2With('PBKDF2-SHA512', 'sha512', 210_000);
/** For hashes that come from elsewhere. */
export const PBKDF2_SHA1 = pbkdf2With('PBKDF2-SHA1', 'sha1', 1_300_000);
