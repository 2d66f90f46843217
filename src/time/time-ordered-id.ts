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
  return `${time.slice(0, 8)}-${time.slice(8)}-${order}-${VARIANTS[Number.parseInt(random[0]!, 16) & 3]}${random.slice(1, 4)}-${random.slice(4)}`;
}

/** The first digit of the random part says of which kind of UUID it is, and has two bits left. */
const VARIANTS = '89ab';
const RANDOM_DIGITS = 16;
const POOL_BYTES = 4_096;
let pool = '';
let used = 0;

/** Random digits are asked for in bulk: a call for a few costs as much as one for many. */
function randomPart(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += RANDOM_DIGITS;
  return pool.slice(used - RANDOM_DIGITS, used);
}
