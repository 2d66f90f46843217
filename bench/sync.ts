/**
 * Reconciliations from a managed type to another: the first one, planned and done, one where nothing has changed, and one where a
 * hundredth has. Ten properties are mapped, two of them by scripts where the name says so. Next to them the same work of the
 * database alone: rows that are copied in, and one statement that makes, or compares, all of them, without hooks, links, or a record of it.
 */
import pg from 'pg';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { compare, remark } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'sync';
const OBJECTS = isQuick ? 1_000 : isFull ? 100_000 : 10_000;
const ROUNDS = isQuick ? 1 : 2;
const PLAIN = ['userName', 'givenName', 'sn', 'mail', 'city', 'title', 'phone', 'unit', 'cost', 'note'];
const script = (source: string) => ({ type: 'text/javascript', source });
const mapping = (name: string, transforms: readonly string[]) => ({
  name,
  source: 'managed/person',
  target: `managed/${name}`,
  enableSync: false,
  properties: PLAIN.map((one) => ({
    source: one,
    target: one,
    ...(transforms.includes(one) ? { transform: script('source.toLowerCase()') } : {}),
  })),
});
const MAPPINGS = [mapping('account', []), mapping('scripted', ['sn', 'mail'])];

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const project = scope.use(
  await createProject({
    'conf/managed.json': { objects: ['person', 'account', 'scripted'].map((name) => ({ name })) },
    'conf/sync.json': { mappings: MAPPINGS },
  }),
);
const content = (n: string) =>
  `jsonb_build_object(${PLAIN.map((one) => `'${one}', '${one} ' || ${n}`).join(', ')})`;
await onServer(
  url,
  `insert into managed_object (type, id, data) select 'person', 'p' || n, ${content('n')} from generate_series(1, ${OBJECTS}) n;
   create table bare (id text primary key, data jsonb); analyze managed_object`,
);
const service = scope.use(
  await startService({ databaseUrl: url, project: project.location, name: 'bench-sync' }),
);
const client = new pg.Client({ connectionString: url });
await client.connect();
scope.defer(() => client.end());

for (const { name } of MAPPINGS) {
  const what = name === 'account' ? '' : ', two properties by scripts';
  const seconds = { plan: [], first: [], none: [], some: [], insert: [], join: [], update: [] } as Record<
    string,
    number[]
  >;
  for (let round = 0; round < ROUNDS; round++) {
    await client.query(`delete from recon_run; delete from recon_print; delete from sync_link; delete from sync_state;
      delete from managed_object where type = '${name}'; truncate bare`);
    seconds['insert']?.push(
      await timed(() =>
        client.query(`insert into bare select id, data from managed_object where type = 'person'`),
      ),
    );
    seconds['join']?.push(
      await timed(() =>
        client.query(
          `select count(*) from managed_object p full join bare b on b.id = p.id and b.data = p.data where p.type = 'person'`,
        ),
      ),
    );
    seconds['plan']?.push(await reconcile(name, 'plan', { ABSENT: OBJECTS }));
    seconds['first']?.push(await reconcile(name, 'apply', { ABSENT: OBJECTS }));
    // The first look remembers that pairs are as they should be, where it may.
    await reconcile(name, 'apply', { CONFIRMED: OBJECTS });
    seconds['none']?.push(await reconcile(name, 'apply', { CONFIRMED: OBJECTS }));
    const changed = `update managed_object set rev = rev + 1, data = data || jsonb_build_object('city', 'round ${round} of ${name}')
      where type = 'person' and substr(id, 2)::int % 100 = 0`;
    seconds['update']?.push(await timed(() => client.query(changed)));
    seconds['some']?.push(await reconcile(name, 'apply', { CONFIRMED: OBJECTS }));
  }
  const report = (quantity: string, ours: string, against: string, baseline: string) =>
    compare(
      {
        bench: BENCH,
        quantity: `${quantity}${what}`,
        unit: 's',
        ours: seconds[ours] ?? [],
        lessIsBetter: true,
      },
      against,
      seconds[baseline] ?? [],
    );
  report(`a plan of ${OBJECTS} new targets`, 'plan', 'one insert … select', 'insert');
  report(`${OBJECTS} new targets`, 'first', 'one insert … select', 'insert');
  report(`${OBJECTS} pairs, nothing changed`, 'none', 'one join', 'join');
  report(`${OBJECTS} pairs, a hundredth changed`, 'some', 'one update of the sources', 'update');
}
const { rows } = await client.query<{ bytes: string }>(
  'select temp_bytes as bytes from pg_stat_database where datname = current_database()',
);
remark(BENCH, `Postgres wrote ${Math.round(Number(rows[0]?.bytes ?? 0) / 1e6)} MB of temporary files.`);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

/** @returns how many seconds it took by its own record */
async function reconcile(
  name: string,
  mode: string,
  expected: Readonly<Record<string, number>>,
): Promise<number> {
  const path = `recon?_action=recon&mapping=${name}&mode=${mode}&waitForCompletion=true`;
  const { _id } = (await call(service.url, 'POST', path, { runTargetPhase: true })) as { _id: string };
  const run = (await call(service.url, 'GET', `recon/${_id}`)) as {
    readonly duration: number;
    readonly situationSummary: Readonly<Record<string, number>>;
    readonly statusSummary: { readonly FAILURE: number };
  };
  for (const [situation, count] of Object.entries(expected)) {
    if (run.situationSummary[situation] === count && run.statusSummary.FAILURE === 0) continue;
    throw new Error(
      `A reconciliation found ${JSON.stringify(run.situationSummary)}, and not ${count} ${situation}`,
    );
  }
  return run.duration / 1_000;
}
