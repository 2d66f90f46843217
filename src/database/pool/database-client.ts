import pg from 'pg';
import { ofConnect, ofDatabase } from './database-error.ts';

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
    return answer.catch((error: unknown) => {
      throw tell(error);
    });
  };
}

/** A connection whose failures are known as those of the database; all connections of the server are of this class. */
export class DatabaseClient extends pg.Client {}

// The methods are looked up at each call, because tests replace them. They have too many signatures to be overridden one by one.
Object.assign(DatabaseClient.prototype, {
  connect: telling(() => pg.Client.prototype.connect, ofConnect),
  query: telling(() => pg.Client.prototype.query, ofDatabase),
});

/** A pool of such connections; that it has none to give in time is a failure of the database as well. */
export class DatabasePool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: DatabaseClient });
  }
}

Object.assign(DatabasePool.prototype, { connect: telling(() => pg.Pool.prototype.connect, ofConnect) });
