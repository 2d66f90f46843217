import pg from 'pg';

/** What is stored with this in it takes its node down, as a crash in native code would that certain data causes. */
const POISON = '"poison":"deadly"';

if (process.env['SVC_TEST_POISONABLE'] !== undefined) {
  type Query = (this: pg.Client, ...args: unknown[]) => unknown;
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const original = prototype.query;
  prototype.query = function query(...args) {
    const [statement] = args as [string | { text?: string; values?: unknown[] }];
    const text = typeof statement === 'string' ? statement : (statement.text ?? '');
    if (text.includes('managed_object')) {
      const values = typeof statement === 'string' ? args[1] : (statement.values ?? args[1]);
      if (Array.isArray(values) && JSON.stringify(values).replaceAll('\\', '').includes(POISON)) {
        process.kill(process.pid, 'SIGKILL');
      }
    }
    return original.apply(this, args);
  };
}

/** What `NODE_OPTIONS` of a node has to hold that poison can kill. */
export const POISON_PRELOAD = `--import=${import.meta.url}`;
