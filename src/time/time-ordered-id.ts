import { randomBytes } from 'node:crypto';

let lastAt = 0;
let sequence = 0;

/** A UUID of version 7: ids of one thread sort in the order in which they were made. @param at epoch ms */
export function timeOrderedId(at = Date.now()): string {
  if (at > lastAt) {
    lastAt = Math.floor(at);
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastAt += 1;
    sequence = 0;
  }
  const time = lastAt.toString(16).padStart(12, '0');
  const order = (0x7000 | sequence).toString(16);
  const random = randomPart();
  random[0] = 0x80 | (random[0]! & 0x3f);
  const tail = random.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

const RANDOM_BYTES = 8;
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/** Random bytes are asked for in bulk: a call for a few costs as much as one for many. */
function randomPart(): Buffer {
  if (pool.length < RANDOM_BYTES) pool = randomBytes(POOL_BYTES);
  const part = pool.subarray(0, RANDOM_BYTES);
  pool = pool.subarray(RANDOM_BYTES);
  return part;
}
