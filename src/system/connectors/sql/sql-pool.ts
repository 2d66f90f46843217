import type { Socket } from 'node:net';
import { ConnectorError, type ConnectorHost, MOST_ANSWER_BYTES, unasked } from '../../contract.ts';
import type { Dialect, SqlLogin, SqlSession } from './sql-session.ts';

interface Kept {
  readonly session: SqlSession;
  readonly socket: Socket;
}

const MOST_IDLE = 5;
/** Firewalls forget connections that nobody uses, without a word. */
const LONGEST_IDLE_MS = 60_000;

/** How often it is looked what has come: the libraries keep all of it, and tell nobody before it is whole. */
const LOOK_MS = 20;

/** Errors after which nobody knows what comes over the connection next. */
const UNSOUND: ReadonlySet<string> = new Set(['unavailable', 'timeout', 'protocol']);

/** Connections to a database; each is used by one at a time. How many there are the frame says. */
export class SqlPool {
  readonly #dialect: Dialect;
  readonly #login: SqlLogin;
  readonly #connect: ConnectorHost['connect'];
  readonly #idle: { readonly kept: Kept; readonly since: number }[] = [];
  readonly #open = new Set<Socket>();
  #isEnded = false;

  constructor(dialect: Dialect, login: SqlLogin, connect: ConnectorHost['connect']) {
    this.#dialect = dialect;
    this.#login = login;
    this.#connect = connect;
  }

  /** Reads; once more over a new connection where an old one turns out to be gone. @throws ConnectorError */
  async read<T>(signal: AbortSignal, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const wasReused = this.#idle.length > 0;
    try {
      return await this.#use(signal, work);
    } catch (error) {
      const isGone = error instanceof ConnectorError && error.kind === 'unavailable';
      if (!wasReused || !isGone || signal.aborted) throw error;
      for (const { kept } of this.#idle.splice(0)) this.#discard(kept);
      return this.#use(signal, work);
    }
  }

  /** Writes, all or nothing. @throws ConnectorError */
  write<T>(signal: AbortSignal, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#use(signal, async (session) => {
      // The first statement changes nothing, so that a connection that is gone is found out before anything can be in doubt.
      await session.query('begin').catch((error: unknown) => {
        throw unasked(this.#dialect.error(error));
      });
      try {
        const result = await work(session);
        await session.query('commit');
        return result;
      } catch (error) {
        await session.query('rollback').catch(() => {});
        throw error;
      }
    });
  }

  close(): void {
    this.#isEnded = true;
    for (const { kept } of this.#idle.splice(0)) kept.session.end();
    for (const socket of this.#open) socket.destroySoon();
    this.#open.clear();
  }

  async #use<T>(signal: AbortSignal, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const kept = await this.#take(signal).catch((error: unknown) => {
      throw unasked(error);
    });
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    const onAbort = () => {
      this.#discard(kept);
      reject(ending());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const looking = onTooMuch(kept.socket, (error) => {
      this.#discard(kept);
      reject(error);
    });
    try {
      if (signal.aborted) onAbort();
      const working = work(kept.session);
      working.catch(() => {});
      const result = await Promise.race([working, ended]);
      this.#giveBack(kept);
      return result;
    } catch (error) {
      const told = this.#dialect.error(error);
      if (told instanceof ConnectorError && !UNSOUND.has(told.kind)) this.#giveBack(kept);
      else this.#discard(kept);
      throw signal.aborted ? ending() : told;
    } finally {
      clearInterval(looking);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #take(signal: AbortSignal): Promise<Kept> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      const isFresh = performance.now() - idle.since < LONGEST_IDLE_MS;
      if (isFresh && !idle.kept.socket.destroyed && idle.kept.socket.readable) return idle.kept;
      this.#discard(idle.kept);
    }
    return this.#begin(signal);
  }

  #giveBack(kept: Kept): void {
    if (this.#isEnded || this.#idle.length >= MOST_IDLE || kept.socket.destroyed) this.#discard(kept);
    else this.#idle.push({ kept, since: performance.now() });
  }

  #discard({ session, socket }: Kept): void {
    session.end();
    socket.destroySoon();
    this.#open.delete(socket);
    socket.destroy();
  }

  async #begin(signal: AbortSignal): Promise<Kept> {
    if (this.#isEnded) throw new ConnectorError('unavailable', 'The system is closed');
    if (signal.aborted) throw ending();
    const { host, port } = this.#login;
    const socket = this.#connect({ host, port });
    // An error that comes when nobody listens any more is none.
    socket.on('error', () => {});
    this.#open.add(socket);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    ended.catch(() => {});
    const onAbort = () => reject(ending());
    // A library may wait for an answer that a closed socket never brings.
    const onClose = () =>
      reject(new ConnectorError('unavailable', `The connection to ${host}:${port} was closed`));
    const onError = (error: Error) => reject(this.#dialect.error(error));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once('close', onClose);
    const looking = onTooMuch(socket, reject);
    try {
      const opening = this.#dialect.open(this.#login, socket);
      opening.catch(() => {});
      const session = await Promise.race([opening, ended]);
      return { session, socket };
    } catch (error) {
      socket.destroy();
      this.#open.delete(socket);
      throw signal.aborted ? ending() : this.#dialect.error(error);
    } finally {
      clearInterval(looking);
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      socket.off('close', onClose);
    }
  }
}

function ending(): ConnectorError {
  return new ConnectorError('timeout', 'It was ended');
}

/** Ends a question to which more comes than anything that is asked. */
function onTooMuch(socket: Socket, end: (error: ConnectorError) => void): NodeJS.Timeout {
  const before = socket.bytesRead;
  return setInterval(() => {
    if (socket.bytesRead - before <= MOST_ANSWER_BYTES) return;
    end(new ConnectorError('protocol', `The database answers with more than ${MOST_ANSWER_BYTES} bytes`));
  }, LOOK_MS);
}
