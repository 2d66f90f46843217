import type pg from 'pg';
import { DatabaseClient } from './database-client.ts';

/** A text is prepared when it comes for this time: most texts that differ each time never do. */
const PREPARED_FROM = 4;
/** Each prepared statement costs Postgres memory on every connection. */
const MAX_PREPARED = 500;
/** Texts that are counted; when there are more, counting begins anew. */
const MAX_COUNTED = 5_000;

const IS_STATEMENT = /^\s*(?:select|insert|update|delete|with)\b/i;
/** So begins a statement whose plan must not depend on how large its tables were when it was made. */
export const PLANNED_ANEW = '/* planned anew */';
/** What it answers changes with the table's columns, and Postgres then refuses the plan it has. */
const ANSWERS_ALL_COLUMNS = /(?:\bselect|\breturning|\.)\s*\*/i;

/**
 * Has Postgres parse and plan a statement once for each connection when it comes again and again. Names are those of
 * this thread, so that one name never means two texts.
 */
export class PreparedStatements {
  readonly #mayKeepPlans: boolean;
  readonly #names = new Map<string, string>();
  #counts = new Map<string, number>();

  /** @param options.mayKeepPlans also of statements that are planned anew elsewhere: see `keepsPlans` of a database */
  constructor(options: { readonly mayKeepPlans?: boolean } = {}) {
    this.#mayKeepPlans = options.mayKeepPlans ?? false;
  }

  /** @returns undefined for what is not, or not yet, worth it */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined) return name;
    if (this.#names.size >= MAX_PREPARED) return undefined;
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
    const given = `svc_${this.#names.size + 1}`;
    this.#names.set(text, given);
    return given;
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

  /** As a client without prepared statements. */
  #pass(client: unknown, args: unknown[]): unknown {
    return (DatabaseClient.prototype.query as (this: unknown, ...args: unknown[]) => unknown).apply(
      client,
      args,
    );
  }
}
