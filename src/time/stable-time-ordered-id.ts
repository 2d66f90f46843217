import { createHash } from 'node:crypto';

/**
 * A UUID in the form of version 7 that is the same each time for the same names and time, and sorts by that time.
 *
 * @param at epoch ms
 */
export function stableTimeOrderedId(names: readonly (string | null)[], at: number): string {
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex');
  const time = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
