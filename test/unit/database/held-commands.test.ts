import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import { seededRandom } from '../../support/hostile-requests.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { SEED } from '../../support/property-seed.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test[Symbol.asyncDispose]());

describe.each([true, false])('a transaction, statements prepared: %s', (prepares) => {
  async function open(scope: AsyncDisposableStack): Promise<Database> {
    const database = openDatabase({ url: test.url, poolSize: 2, prepares });
    scope.defer(() => database.close());
    return database;
  }
  const stateOf = async (observer: Database, session: number) => {
    const { rows } = await observer.pool.query('select state from pg_stat_activity where pid = $1', [
      session,
    ]);
    return rows[0]?.state as string;
  };
  const start = (database: Database) => database.db.startTransaction().execute();
  const session = async (database: Database) => {
    const transaction = await start(database);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, ${1}::int as one`.execute(
      transaction,
    );
    return { transaction, pid: rows[0]!.pid };
  };

  it('is open on the server from its first statement to its end, again and again', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const observer = await open(scope);
    for (let time = 0; time < 6; time += 1) {
      const { transaction, pid } = await session(database);
      expect(await stateOf(observer, pid)).toBe('idle in transaction');
      await (time % 2 === 0 ? transaction.commit() : transaction.rollback()).execute();
      expect(await stateOf(observer, pid)).toBe('idle');
    }
  });

  it('without statements leaves nothing behind', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    await (await start(database)).commit().execute();
    await (await start(database)).rollback().execute();
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database.db);
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('may begin with a savepoint, and with a statement that fails', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const saved = await start(database);
    const inner = await saved.savepoint('a').execute();
    await sql`create temporary table kept (n int)`.execute(inner);
    await inner.rollbackToSavepoint('a').execute();
    await expect(sql`select ${1}::int as n from kept`.execute(inner)).rejects.toMatchObject({
      code: '42P01',
    });
    await saved.rollback().execute();

    for (const bad of [sql`select 6 / ${0}::int as n`, sql`selec ${1}`, sql`selec 1`]) {
      for (let time = 0; time < 5; time += 1) {
        const failed = await start(database);
        await expect(bad.execute(failed)).rejects.toMatchObject({
          code: expect.stringMatching(/^(22012|42601)$/),
        });
        await failed.rollback().execute();
      }
    }
    const { transaction } = await session(database);
    const { rows } = await sql<{ n: number }>`select 6 / ${2}::int as n`.execute(transaction);
    await transaction.commit().execute();
    expect(rows).toEqual([{ n: 3 }]);
  });

  it('leaves in as many writes as it has statements, however many savepoints are set and released', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const client = await database.pool.connect();
    scope.defer(() => client.release());
    const writes = await writesOf(client, async () => {
      await client.query('begin');
      for (const n of [1, 2, 3]) {
        await client.query(`savepoint "nested_${n}"`);
        await client.query('select $1::int as n', [n]);
        await client.query(`savepoint "void_${n}"`);
        await client.query(`release "void_${n}"`);
        await client.query(`release "nested_${n}"`);
      }
      await client.query('commit');
    });
    expect(writes).toBe(4);
  });

  it('has what is asked for without waiting in flight together, its end included', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    await database.pool.query('create table flight (n int)');
    const transaction = await start(database);
    const all = await Promise.allSettled([
      sql`insert into flight values (${1})`.execute(transaction),
      sql`insert into flight values (${2} / 0)`.execute(transaction),
      transaction.commit().execute(),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect((await database.pool.query('select n from flight')).rows).toEqual([]);
    await database.pool.query('drop table flight');
  });

  it('answers and stores what it does without anything held back, whatever is asked in whichever order', async () => {
    await using scope = new AsyncDisposableStack();
    const database = await open(scope);
    const held = await database.pool.connect();
    scope.defer(() => held.release());
    const plain = new pg.Client({ connectionString: test.url });
    await plain.connect();
    scope.defer(() => plain.end());
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
    for (const client of [held, plain]) await client.query('create temporary table said (n int)');
    for (let round = 0; round < 300; round += 1) {
      const asked: string[] = [];
      const answers: string[][] = [[], []];
      const ask = async (text: string, values: unknown[] = []) => {
        asked.push(text);
        for (const [index, client] of [held, plain].entries()) {
          const answer = await client.query(text, values).then(
            ({ command, rowCount }) => `${command} ${rowCount}`,
            (error: { code: string }) => `failed by ${error.code}`,
          );
          answers[index]!.push(answer);
        }
        return answers[1]!.at(-1)!.startsWith('failed');
      };
      await ask('begin');
      const open: string[] = [];
      for (let step = 0; step < 12; step += 1) {
        const way = random();
        let failed = false;
        if (way < 0.35) {
          open.push(`s${step}`);
          await ask(`savepoint "s${step}"`);
        } else if (way < 0.55 && open.length > 0) {
          await ask(`release "${open.pop()}"`);
        } else if (way < 0.65 && open.length > 0) {
          open.length = 1 + open.indexOf(pick(open));
          await ask(`rollback to "${open.at(-1)}"`);
        } else if (way < 0.75) failed = await ask('insert into said values (1 / $1::int)', [0]);
        else if (way < 0.8) failed = await ask('selec 1');
        else if (way < 0.9) await ask('insert into said values (7)');
        else await ask('insert into said values ($1)', [step]);
        if (!failed) continue;
        // As the unit of work does: what has failed is taken back.
        if (open.length === 0) break;
        await ask(`rollback to "${open.at(-1)}"`);
      }
      const isAborted = answers[1]!.at(-1)!.startsWith('failed');
      await ask(!isAborted && random() < 0.7 ? 'commit' : 'rollback');
      await ask('select n from said');
      expect(answers[0], asked.join('; ')).toEqual(answers[1]);
      const [mine, theirs] = await Promise.all(
        [held, plain].map((client) => client.query('select n from said order by n')),
      );
      expect(mine!.rows, asked.join('; ')).toEqual(theirs!.rows);
    }
  });
});

/** How often something is handed to the socket of a connection. */
async function writesOf(client: pg.PoolClient, work: () => Promise<void>): Promise<number> {
  const { stream } = (client as unknown as { connection: { stream: Record<string, unknown> } }).connection;
  const original = { _write: stream['_write'], _writev: stream['_writev'] } as Record<
    string,
    (...args: unknown[]) => void
  >;
  let writes = 0;
  for (const [name, write] of Object.entries(original)) {
    stream[name] = (...args: unknown[]) => {
      writes += 1;
      write.apply(stream, args);
    };
  }
  await work();
  Object.assign(stream, original);
  return writes;
}
