/**
 * What docs/decisions/0001-queue.md decides by: pg-boss through its documented calls alone, next to tables of our own
 * claimed with SKIP LOCKED. Both over the same connection to the same server, in turns; ratios count.
 */
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { createBenchDatabase } from './support/postgres.ts';

const WINDOW_MS = Number(process.env['WINDOW_MS'] ?? 1_500);
const ROUNDS = 3;
const BATCHES = [1, 100, 500];
const WAITING = 50_000;
const DATA = {
  job: '01900000-0000-7000-8000-000000000000',
  revision: 1,
  instance: '01900000-0000-7000-8000-000000000001',
};
const SETTINGS =
  'with (fillfactor = 70, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_scale_factor = 0.02)';

interface Candidate {
  readonly name: string;
  /** So many jobs, due now or in an hour. */
  enqueue(count: number, isDue: boolean): Promise<unknown>;
  fetch(count: number): Promise<string[]>;
  complete(ids: string[]): Promise<unknown>;
}

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const client = new pg.Client({ connectionString: url });
await client.connect();
scope.defer(() => client.end());
const boss = new PgBoss({
  db: { executeSql: (text, values) => client.query(text, values as unknown[]) },
  schema: 'plain_boss',
  schedule: false,
  useListenNotify: false,
});
boss.on('error', () => {});
await boss.start();
scope.defer(() => boss.stop({ graceful: false, close: false }));
await boss.createQueue('q', { retryLimit: 2 });
await createTables();
const candidates = [pgBoss(), oneTable(), twoTables('two', true), twoTables('bare', false)];

await measureCycles('cycles a second');
for (const candidate of candidates) await candidate.enqueue(WAITING, false);
await client.query('vacuum analyze');
await measureCycles(`cycles a second while ${WAITING} jobs wait for a later time`);
await showPlans();
await measureHeld();
await measureReturn();
await measureLate();

async function createTables(): Promise<void> {
  const columns = `queue text collate "C" not null, data jsonb not null, due_at timestamptz not null,
    attempt int not null default 1, attempts int not null default 3`;
  await client.query(`
    create table one_job (id uuid primary key default uuidv7(), ${columns}, node_id int, node_epoch bigint) ${SETTINGS};
    create index on one_job (queue, due_at) where node_id is null;
    create index on one_job (node_id) where node_id is not null;
    create table two_due (id uuid primary key default uuidv7(), ${columns}) ${SETTINGS};
    create index on two_due (queue, due_at);
    create table two_run (id uuid primary key, ${columns}, node_id int, node_epoch bigint) ${SETTINGS};
    create index on two_run (node_id);
    create table bare_due (id uuid not null default uuidv7(), ${columns}) ${SETTINGS};
    create index on bare_due (queue, due_at);
    create table bare_run (id uuid primary key, ${columns}, node_id int, node_epoch bigint) ${SETTINGS};
    create index on bare_run (node_id);`);
}

function pgBoss(): Candidate {
  return {
    name: 'pg-boss',
    enqueue: (count, isDue) =>
      boss.insert(
        'q',
        Array.from({ length: count }, () => ({
          data: DATA,
          ...(isDue ? {} : { startAfter: new Date(Date.now() + 3_600_000) }),
        })),
      ),
    fetch: async (count) => (await boss.fetch('q', { batchSize: count })).map(({ id }) => id),
    complete: (ids) => boss.complete('q', ids),
  };
}

function insertInto(table: string) {
  return (count: number, isDue: boolean) =>
    client.query({
      name: `${table} insert`,
      text: `insert into ${table} (queue, data, due_at)
             select 'q', data::jsonb, clock_timestamp() + $2::float8 * interval '1 ms' from unnest($1::text[]) data`,
      values: [Array.from({ length: count }, () => JSON.stringify(DATA)), isDue ? 0 : 3_600_000],
    });
}

/** Claims from the lower bound on that a claimer keeps of its last batch. */
function claimBy(table: string, statement: (candidates: string) => string) {
  let from = new Date(0);
  return async (count: number): Promise<string[]> => {
    const { rows } = await client.query<{ id: string; due_at: Date }>({
      name: `${table} claim`,
      text: statement(`array(
        select ctid from ${table} where queue = 'q' ${table === 'one_job' ? 'and node_id is null' : ''}
          and due_at <= statement_timestamp() and due_at >= $2 order by due_at limit (select $1::int) for update skip locked)`),
      values: [count, from],
    });
    for (const { due_at: at } of rows)
      if (at.getTime() - 5_000 > from.getTime()) from = new Date(at.getTime() - 5_000);
    return rows.map(({ id }) => id);
  };
}

function oneTable(): Candidate {
  return {
    name: 'one table, updated',
    enqueue: insertInto('one_job'),
    fetch: claimBy(
      'one_job',
      (found) => `update one_job set node_id = 1, node_epoch = 1 where ctid = any(${found}) returning *`,
    ),
    complete: (ids) =>
      client.query({
        name: 'one complete',
        text: 'delete from one_job where id = any($1) and node_id = 1 and node_epoch = 1',
        values: [ids],
      }),
  };
}

function twoTables(table: string, hasKey: boolean): Candidate {
  return {
    name: `two tables, moved${hasKey ? '' : ', no key on what waits'}`,
    enqueue: insertInto(`${table}_due`),
    fetch: claimBy(
      `${table}_due`,
      (found) => `with due as (delete from ${table}_due where ctid = any(${found}) returning *)
        insert into ${table}_run (id, queue, data, due_at, attempt, attempts, node_id, node_epoch)
        select id, queue, data, due_at, attempt, attempts, 1, 1 from due returning *`,
    ),
    complete: (ids) =>
      client.query({
        name: `${table} complete`,
        text: `delete from ${table}_run where id = any($1) and node_id = 1 and node_epoch = 1`,
        values: [ids],
      }),
  };
}

/** @returns cycles a second: so many jobs enqueued, fetched and completed, each step with its own commit */
async function cycles({ enqueue, fetch, complete }: Candidate, batch: number): Promise<number> {
  let done = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < WINDOW_MS) {
    await enqueue(batch, true);
    const ids = await fetch(batch);
    await complete(ids);
    done += ids.length;
  }
  return done / ((performance.now() - startedAt) / 1000);
}

async function measureCycles(what: string): Promise<void> {
  for (const batch of BATCHES) {
    const rates = new Map(candidates.map(({ name }) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const candidate of candidates) rates.get(candidate.name)!.push(await cycles(candidate, batch));
    }
    const medians = new Map([...rates].map(([name, list]) => [name, list.toSorted((a, b) => a - b)[1]!]));
    const base = medians.get('pg-boss')!;
    console.log(`${what}, batch ${batch}:`);
    for (const [name, rate] of medians)
      console.log(`  ${name}: ${Math.round(rate)} (${(rate / base).toFixed(2)})`);
  }
}

/** While another session holds a snapshot: the rate of each second, in shares of the first. */
async function measureHeld(): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select txid_current()');
  for (const candidate of candidates.slice(0, 2)) {
    const rates: number[] = [];
    for (let window = 0; window < 6; window++) rates.push(await cycles(candidate, 20));
    console.log(
      `snapshot held, batch 20, ${candidate.name}: ${rates.map((rate) => Math.round(rate)).join(' ')}`,
    );
  }
  await holder.end();
}

/** How long a job is away whose node is gone, by the shortest heartbeat that there is. */
async function measureReturn(): Promise<void> {
  await boss.createQueue('beating', { heartbeatSeconds: 10, retryDelay: 0 });
  await boss.send('beating', DATA);
  await boss.fetch('beating');
  const lostAt = performance.now();
  for (;;) {
    await boss.supervise('beating').catch(() => undefined);
    if ((await boss.fetch('beating')).length === 1) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (performance.now() - lostAt > 120_000) break;
  }
  console.log(`job of a lost node fetched again by heartbeat: ${Math.round(performance.now() - lostAt)} ms`);
}

/** Whether what a node completes is refused when the job is another's by then. */
async function measureLate(): Promise<void> {
  await boss.createQueue('late', { retryDelay: 0, retryLimit: 3 });
  for (const how of ['id', 'attempt'] as const) {
    await boss.send('late', DATA);
    const [job] = await boss.fetch('late', { includeMetadata: true });
    await boss.fail('late', job!.id);
    const [again] = await boss.fetch('late', { includeMetadata: true });
    const answer = await boss.complete(
      'late',
      how === 'id' ? job!.id : { id: job!.id, retryCount: job!.retryCount },
    );
    console.log(
      `late completion by ${how}, attempts ${job!.retryCount} and ${again?.retryCount}:`,
      JSON.stringify(answer).slice(0, 200),
    );
    if (how === 'attempt') await boss.complete('late', job!.id);
  }
}

async function showPlans(): Promise<void> {
  // The statement of pg-boss is what it sends.
  const sent: { text: string; values: unknown[] }[] = [];
  await boss.fetch('q', {
    batchSize: 20,
    db: {
      executeSql: (text, values) => {
        sent.push({ text, values: values as unknown[] });
        return client.query(text, values as unknown[]);
      },
    },
  });
  await boss.insert(
    'q',
    Array.from({ length: 20 }, () => ({ data: DATA })),
  );
  for (const { text, values } of sent) {
    const { rows } = await client.query(`explain (analyze, buffers, costs off) ${text}`, values);
    console.log(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  await insertInto('one_job')(20, true);
  const { rows } = await client.query(`explain (analyze, buffers, costs off)
    update one_job set node_id = 1, node_epoch = 1 where ctid = any(array(
      select ctid from one_job where queue = 'q' and node_id is null and due_at <= statement_timestamp()
        and due_at >= now() - interval '5 s' order by due_at limit 20 for update skip locked)) returning *`);
  console.log(rows.map((row) => row['QUERY PLAN']).join('\n'));
}
