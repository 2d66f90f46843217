import pg from 'pg';
import { CONNECT_MS } from '../patience.ts';
import { aim } from '../wire/pg-client.ts';
import { currentServerOf, NoTarget, type Place } from './current-server.ts';
import { ofConnect, ofDatabase } from './database-error.ts';
import { counted } from './database-wait.ts';
import { readPasswordBy } from './read-password.ts';
import { finderOf, type TargetFinder } from './target-finder.ts';

type Call = (this: unknown, ...args: unknown[]) => unknown;

/** Has a method tell of its failures, whether it answers with a promise or to a callback. */
function telling(method: () => Call, tell: (error: unknown) => unknown): Call {
  return function (this: unknown, ...args: unknown[]) {
    const last = args.at(-1);
    if (typeof last === 'function') {
      const callback = (error: unknown, ...rest: unknown[]) => (last as Call)(tell(error), ...rest);
      return method().apply(this, [...args.slice(0, -1), callback]);
    }
    const answer = method().apply(this, args);
    if (!(answer instanceof Promise)) return answer;
    return counted(
      answer.catch((error: unknown) => {
        throw tell(error);
      }),
    );
  };
}

const finders = new WeakMap<object, TargetFinder>();
/** Why a client cannot connect: a file of its URL that is about to be replaced, perhaps. */
const unread = new WeakMap<object, unknown>();

/**
 * A connection whose failures are known as those of the database; all connections of the server are of this class. Where the URL
 * names several servers, it goes to the one that is right.
 */
export class DatabaseClient extends pg.Client {
  // biome-ignore lint/correctness/noUnreachableSuper: the first has thrown where there is a second
  constructor(config: pg.ClientConfig = {}) {
    const finder = finderOf(config.connectionString);
    const own = finder === undefined ? config : { ...config, connectionString: finder.url };
    let failure: unknown;
    try {
      // The driver reads certificates and keys anew for each connection, and right here, where a pool waits for no error.
      super(own);
    } catch (error) {
      failure = error;
      super({ ...own, connectionString: '' });
    }
    if (failure !== undefined) unread.set(this, failure);
    readPasswordBy(this, config.connectionString);
    if (finder !== undefined) finders.set(this, finder);
  }
}

/**
 * Says what the server of a session is, which is dropped when another one takes over.
 *
 * @param url as it was written, with all hosts
 * @throws NoTarget where it may not be written to
 */
export function admitSession(client: pg.ClientBase, url: string, place: Place): void {
  const finder = finders.get(client);
  try {
    if (place.is_standby && finder?.wantsPrimary === true)
      throw new NoTarget('the server has become a standby');
    currentServerOf(url).admit(client, place);
  } catch (error) {
    finder?.forget();
    throw error;
  }
}

/** The method of `pg`, which goes where it was told to when it was made. */
const connect: Call = function (...args) {
  if (this instanceof DatabaseClient && unread.has(this))
    return told(Promise.reject(unread.get(this)), args[0]);
  const finder = this instanceof DatabaseClient ? finders.get(this) : undefined;
  if (finder === undefined || !(this instanceof DatabaseClient))
    return Reflect.apply(pg.Client.prototype.connect, this, args);
  return told(connectRightOne(this, finder), args[0]);
};

/** Tells the outcome as a promise, or to a callback. */
function told(connected: Promise<void>, callback: unknown): Promise<void> | undefined {
  if (typeof callback !== 'function') return connected;
  connected.then(
    () => callback(null),
    (error) => callback(error),
  );
  return undefined;
}

async function connectRightOne(client: pg.Client, finder: TargetFinder): Promise<void> {
  aim(client, await finder.find());
  // What ends a session unasked may be what makes another server the primary.
  client.once('error', () => finder.forget());
  try {
    await Reflect.apply(pg.Client.prototype.connect, client, []);
  } catch (error) {
    finder.forget();
    throw error;
  }
}

// The methods are looked up at each call, because tests replace them. They have too many signatures to be overridden one by one.
Object.assign(DatabaseClient.prototype, {
  connect: telling(() => connect, ofConnect),
  query: telling(() => pg.Client.prototype.query, ofDatabase),
});

/** A pool of such connections; that it has none to give in time is a failure of the database as well. */
export class DatabasePool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: PoolClient });
  }
}

/** Whoever waits for a connection of a pool may have to wait until others give theirs back; to connect takes less. */
class PoolClient extends DatabaseClient {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

Object.assign(DatabasePool.prototype, { connect: telling(() => pg.Pool.prototype.connect, ofConnect) });
