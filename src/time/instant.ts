const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether it is an instant of the years 1 to 9999, which JavaScript, Postgres and ISO 8601 all write in the same way. */
export function isInstant(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}
