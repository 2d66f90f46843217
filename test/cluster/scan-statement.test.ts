import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCrypto } from '#crypto/index.ts';
import { type Database, openDatabase, runUnitOfWork } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { Observation } from '#observability/index.ts';
import { JobPoller, Queue, runJob } from '#queue/index.ts';
import { repoResource } from '#repo/index.ts';
import { Connection, inUnitOfWork, Router, systemContext } from '#resource/index.ts';
import { noScripts, type Scripts } from '#script/index.ts';
import { parseScanDefinition } from '#taskscanner/scan-definition.ts';
import { TaskScanner, type TaskScannerPlatform } from '#taskscanner/task-scanner.ts';
import { startScan } from '../../src/taskscanner/start-scan.ts';
import { type FaultControl, installFaults } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/hostile-requests.ts';
import { longOr } from '../support/long.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { SEED } from '../support/property-seed.ts';
import { wakesOf } from '../support/queue-wakes.ts';
import { statementsOf } from '../support/workflow-core.ts';
import '../support/takes-long.ts';

const APPLICATION = 'faulty';
const OBJECTS = 2;
/** Which part of all statements: 1 for each of them. Each kind of fault begins with another one. */
const STRIDE = Number(process.env['SVC_TEST_STRIDE'] ?? longOr(7, 21));

/** Stands in the place of a script, so that all happens in this process: leaves a mark for each object. */
function scriptsDoing(router: () => Router, work: ScriptWork): Scripts {
  return {
    ...noScripts,
    async evaluate(context, { bindings }) {
      const value = await work(new Connection(router(), context), String(bindings['objectID']));
      return { value, bindings: {}, log: [] };
    },
  };
}

type ScriptWork = (connection: Connection, objectID: string) => Promise<JsonValue>;

const mark: ScriptWork = async (connection, object) => {
  await connection.create('repo/mark', null, { object });
  return true;
};

describe('a scan, when each of its statements fails in turn', () => {
  let test: Database & AsyncDisposable;
  let database: Database;
  let faults: FaultControl;

  beforeAll(async () => {
    test = await createMigratedDatabase();
    faults = installFaults();
    await sql`insert into cluster_node (name, epoch) values ('a', 1)`.execute(test.db);
  });
  beforeEach(() => {
    database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
  });
  afterAll(() => test[Symbol.asyncDispose]());

  async function scanOnce(
    fault: Parameters<FaultControl['set']>[0],
    { objects = OBJECTS, work = mark }: { objects?: number; work?: ScriptWork } = {},
  ) {
    await sql.raw(`truncate repo_object, scan_run, work_job cascade`).execute(test.db);
    await sql`insert into repo_object (type, id, data)
              select 'item', n::text, '{}' from generate_series(1, ${objects}::int) n`.execute(test.db);
    await sql`insert into repo_object (type, id, data) values ('counter', 'shared', '{"n": 0}')`.execute(
      test.db,
    );
    const observations: Observation[] = [];
    const observe = (observation: Observation) => void observations.push(observation);
    const router = new Router((router) => ({
      before: [inUnitOfWork({ database, observe, answerLimitBytes: 2 ** 26, router })],
      judging: [],
    }));
    router.mount(
      'repo*',
      repoResource(database, {
        queries: () => new Map(),
        privates: () => new Set(),
        declared: () => undefined,
      }),
    );
    let poller: JobPoller | undefined;
    const queue = new Queue({ database, wakes: wakesOf(() => poller?.wake()) });
    const platform: TaskScannerPlatform = {
      database,
      clock: { now: () => Date.now() },
      crypto: openCrypto({ keyRing: {} }),
      queue,
      resources: router,
      scripts: scriptsDoing(() => router, work),
      callerNow: async ({ security }) => security,
      observe,
      secretReferences: () => [],
      keepRuns: () => 5,
    };
    void new TaskScanner(platform, 1);
    await queue.prepare();
    const definition = parseScanDefinition({
      numberOfThreads: 1,
      scan: { object: 'repo/item', _queryFilter: 'true', taskState: { started: '/s', completed: '/c' } },
      task: { script: { type: 'text/javascript', source: 'in this test it is not run' } },
    });
    const id = await runUnitOfWork(database, {}, (unitOfWork) =>
      startScan(platform, unitOfWork, systemContext(), { definition, name: null, firing: null }),
    );
    poller = new JobPoller({
      queue,
      clock: { now: () => Date.now() },
      holder: () => ({ nodeId: 1, epoch: 1 }),
      run: (job) => runJob(queue, job),
      observe,
    });
    faults.set(fault === null ? null : { ...fault, application: APPLICATION });
    await poller.start();
    const [row] = await eventually(
      async () =>
        (
          await sql<{
            state: string;
            successes: number;
            failures: number;
            skipped: number;
            marks: number;
            done: number;
          }>`
            select state, successes::int, failures::int, skipped::int,
                   (select count(*)::int from repo_object where type = 'mark') as marks,
                   (select count(*)::int from repo_object where type = 'item' and data ? 's' and data ? 'c') as done
            from svc_scan_run where run_id = ${id}`.execute(test.db)
        ).rows,
      ([found]) => !['INITIALIZED', 'ACTIVE'].includes(found!.state),
    );
    await eventually(
      async () => poller.active,
      (active) => active === 0,
    );
    const { happened } = faults;
    faults.set(null);
    await poller.stop();
    const { rows: errors } = await sql`select object, error from scan_error`.execute(test.db);
    const left = (await sql`select from work_job union all select from scan_slice`.execute(test.db)).rows;
    await database.close();
    return { row, left: left.length, happened, observations: [...observations, ...errors] };
  }

  it.each([
    ['before', 'conflict', 1],
    ['before', 'disconnect', 2],
    ['after', 'conflict', 3],
    ['after', 'disconnect', 4],
  ] as const)('processes each object once: fault %s execution, %s', async (when, what, first) => {
    for (let nth = 1 + (first % STRIDE); ; nth += STRIDE) {
      const { row, left, happened, observations } = await scanOnce({ nth, when, what });
      const told = `statement ${nth} ${when} ${what}: ${JSON.stringify(observations)}`;
      expect(row, told).toEqual({
        state: 'COMPLETED',
        successes: OBJECTS,
        failures: 0,
        skipped: 0,
        marks: OBJECTS,
        done: OBJECTS,
      });
      expect(left, told).toBe(0);
      if (!happened) {
        expect(nth).toBeGreaterThan(25);
        return;
      }
      database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
    }
  });

  it.each([
    ['whatever their scripts do', ['mark', 'mark', 'mark', 'throw', 'false', 'ask', 'count', 'own']],
    ['where they are in the way of each other', ['mark', 'mark', 'count', 'own']],
  ])('processes objects several at a time as it does one by one, %s', async (_title, kinds) => {
    const objects = 120;
    /** By the number of the object; those that count are in the way of each other. */
    const next = seededRandom(SEED);
    const kindOf = Array.from({ length: objects + 1 }, () => kinds[Math.floor(next() * kinds.length)]!);
    const runs = new Map<string, number>();
    const { row, left, observations } = await scanOnce(null, {
      objects,
      async work(connection, object) {
        runs.set(object, (runs.get(object) ?? 0) + 1);
        const kind = kindOf[Number(object.split('/').at(-1))]!;
        await mark(connection, object);
        switch (kind) {
          case 'throw':
            throw new Error('as it should');
          case 'false':
            return false;
          case 'ask': {
            const { result } = await connection.query('repo/mark', {
              queryFilter: { kind: 'compare', operator: 'eq', pointer: ['object'], value: object },
            } as never);
            return result.length === 1;
          }
          case 'count': {
            const counter = await connection.read('repo/counter/shared');
            const n = Number((counter.content as { n: number }).n) + 1;
            await connection.update('repo/counter/shared', counter.revision, { n });
            return true;
          }
          case 'own': {
            const own = await connection.read(object);
            await connection.update(object, own.revision, { ...(own.content as object), seen: true });
            return true;
          }
          default:
            return true;
        }
      },
    });
    const count = (...wanted: string[]) => kindOf.slice(1).filter((kind) => wanted.includes(kind)).length;
    const failures = count('throw', 'false');
    expect(row, JSON.stringify(observations)).toEqual({
      state: 'COMPLETED',
      successes: objects - failures,
      failures,
      skipped: 0,
      // What a script leaves that does not answer true stays; what it leaves that throws does not.
      marks: objects - count('throw'),
      done: objects - failures,
    });
    expect(left).toBe(0);
    const db = openDatabase({ url: test.url });
    const { rows } = await sql<{ n: number; seen: number }>`
      select (select (data->>'n')::int from repo_object where type = 'counter') as n,
             (select count(*)::int from repo_object where type = 'item' and data ? 'seen') as seen`.execute(
      db.db,
    );
    await db.close();
    expect(rows).toEqual([{ n: count('count'), seen: count('own') }]);
    // One that is in the way of another runs again; nobody else does so often.
    expect([...runs.values()].filter((times) => times === 1).length).toBeGreaterThan(objects / 2);
  });

  it('stores what several objects and their scripts write with one statement', async () => {
    const one = await statementsOf(() => scanOnce(null, { objects: 1 }));
    database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
    const many = await statementsOf(() => scanOnce(null, { objects: 81 }));
    const updates = (sent: readonly string[]) => sent.filter((text) => /\bupdate\b/i.test(text)).length;
    expect(updates(many) - updates(one), many.join('\n')).toBeLessThan(20);
  });
});
