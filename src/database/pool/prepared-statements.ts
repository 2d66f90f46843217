import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { forgetStatements } from '../wire/pg-client.ts';
import { DatabaseClient } from './database-client.ts';

/** A text is prepared when it comes for this time: most texts that differ each time never do. */
const PREPARED_FROM = 4;
/** Each prepared statement costs Postgres memory on every connection. */
const MAX_PREPARED = 500;
/** A connection is told of so many at once that it may forget. */
const FORGOTTEN_AT_ONCE = 50;
/** Texts that are counted; when there are more, counting begins anew. */
const MAX_COUNTED = 5_000;

const IS_STATEMENT = /^\s*(?:select|insert|update|delete|with)\b/i;
/** So begins a statement whose plan must not depend on how large its tables were when it was made. */
export const PLANNED_ANEW = '/* planned anew */';
/** The columns of its answer change with those of the table, and Postgres then refuses the plan it has. */
const ANSWERS_ALL_COLUMNS = /(?:\bselect|\breturning|\.)\s*\*/i;

/**
 * Has Postgres parse and plan a statement once for each connection when it comes again and again. Names are those of
 * this thread, so that one name never means two texts. Callers make texts: each filter of a query is one. So the text that
 * has not come for longest makes room, and what comes all the time stays, however many others somebody sends.
 */
export class PreparedStatements {
  readonly #mayKeepPlans: boolean;
  readonly #makesRoom: boolean;
  readonly #live = new Set<string>();
  readonly #names = new LRUCache<string, string>({
    max: MAX_PREPARED,
    dispose: (name) => void this.#live.delete(name),
  });
  #counts = new Map<string, number>();
  #given = 0;
  /** How many names were gone when the connection was last told to forget such. */
  readonly #told = new WeakMap<pg.PoolClient, number>();

  /**
   * @param options.mayKeepPlans also of statements that are planned anew elsewhere: see `keepsPlans` of a database
   * @param options.makesRoom whether connections can be told to forget one. Default: yes; a pooler has to keep what it was given
   */
  constructor(options: { readonly mayKeepPlans?: boolean; readonly makesRoom?: boolean } = {}) {
    this.#mayKeepPlans = options.mayKeepPlans ?? false;
    this.#makesRoom = options.makesRoom ?? true;
  }

  /** @returns undefined for what is not, or not yet, worth it */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined) return name;
    if (!this.#makesRoom && this.#given >= MAX_PREPARED) return undefined;
    const count = (this.#counts.get(text) ?? 0) + 1;
    if (count < PREPARED_FROM) {
      if (this.#counts.size >= MAX_COUNTED) this.#counts = new Map();
      this.#counts.set(text, count);
      return undefined;
    }
    this.#counts.delete(text);
    const statement =
      this.#mayKeepPlans && text.startsWith(PLANNED_ANEW) ? text.slice(PLANNED_ANEW.length) : text;
    if (!IS_STATEMENT.test(statement) || ANSWERS_ALL_COLUMNS.test(statement)) return undefined;
    const given = `svc_${++this.#given}`;
    this.#names.set(text, given);
    this.#live.add(given);
    return given;
  }

  /** Has a connection that nobody works on forget statements whose names are gone, now and then. */
  tidy(client: pg.PoolClient): void {
    const gone = this.#given - this.#live.size;
    if (gone - (this.#told.get(client) ?? 0) < FORGOTTEN_AT_ONCE) return;
    this.#told.set(client, gone);
    for (const name of forgetStatements(client, (own) => !this.#live.has(own)))
      client.query(`deallocate ${name}`).catch(() => undefined);
  }

  /** Makes a connection send its statements by name. */
  attach(client: pg.PoolClient | pg.Client): void {
    const query = (...args: unknown[]) => {
      const [text, values] = args;
      if (args.length !== 2 || typeof text !== 'string' || !Array.isArray(values))
        return this.#pass(client, args);
      const name = this.nameOf(text);
      return name === undefined ? this.#pass(client, args) : this.#pass(client, [{ name, text, values }]);
    };
    Object.assign(client, { query });
  }

  /** Sends the query as a client without prepared statements does. */
  #pass(client: unknown, args: unknown[]): unknown {
    return (DatabaseClient.prototype.query as (this: unknown, ...args: unknown[]) => unknown).apply(
      client,
      args,
    );
  }
}
