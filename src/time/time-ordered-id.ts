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
  const random = randomBytes(8);
  random[0] = 0x80 | (random[0]! & 0x3f);
  const tail = random.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}
