import { Socket } from 'node:net';
import type { Database } from '#database/index.ts';

type Write = (this: Socket, ...args: unknown[]) => void;

/**
 * How often this process goes to the database and waits for an answer while `work` is done: what leaves together is one way,
 * whatever is in it.
 */
export async function waysOf(database: Database, work: () => Promise<unknown>): Promise<number> {
  const port = Number(new URL(database.url).port);
  const prototype = Socket.prototype as unknown as Record<'_write' | '_writev', Write>;
  const { _write, _writev } = prototype;
  let ways = 0;
  let answered = true;
  const counting = (write: Write): Write =>
    function (...args) {
      if (this.remotePort === port && !makesConnection(args[0])) {
        if (answered) ways += 1;
        answered = false;
        this.once('data', () => {
          answered = true;
        });
      }
      write.apply(this, args);
    };
  Object.assign(prototype, { _write: counting(_write), _writev: counting(_writev) });
  try {
    await work();
    return ways;
  } finally {
    Object.assign(prototype, { _write, _writev });
  }
}

/** The pool lets go what was idle for long and makes it anew, which is no way of what is done. */
function makesConnection(written: unknown): boolean {
  const chunk: unknown = Array.isArray(written) ? written[0]?.chunk : written;
  if (!Buffer.isBuffer(chunk)) return false;
  const [startup, password] = [0, 'p'.charCodeAt(0)];
  return chunk[0] === startup || chunk[0] === password;
}
