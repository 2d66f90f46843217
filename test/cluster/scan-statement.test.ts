import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, runUnitOfWork } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import { JobPoller, Queue, runJob } from '#queue/index.ts';
import { repoResource } from '#repo/index.ts';
import { Connection, Router, systemContext } from '#resource/index.ts';
import { noScripts, type Scripts } from '#script/index.ts';
import { parseScanDefinition, TaskScanner, type TaskScannerPlatform } from '#taskscanner/index.ts';
import { startScan } from '../../src/taskscanner/start-scan.ts';
import { type FaultControl, installFaults } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';

const APPLICATION = 'faulty';
const OBJECTS = 2;
/** Which part of all statements: 1 for each of them. Each kind of fault begins with another one. */
const STRIDE = Number(process.env['SVC_TEST_STRIDE'] ?? 7);

/** Stands in the place of a script, so that all happens in this process: leaves a mark for each object. */
function markingScripts(router: () => Router): Scripts {
  return {
    ...noScripts,
    async evaluate(context, { bindings }) {
      const connection = new Connection(router(), context);
      await connection.create('repo/mark', null, { object: bindings['objectID']! });
      return { value: true, bindings: {}, log: [] };
    },
  };
}

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

  async function scanOnce(fault: Parameters<FaultControl['set']>[0]) {
    await sql.raw(`truncate repo_object, scan_run, queue_claim, svc_pgboss.job cascade`).execute(test.db);
    await sql`insert into repo_object (type, id, data)
              select 'item', n::text, '{}' from generate_series(1, ${OBJECTS}::int) n`.execute(test.db);
    const observations: Observation[] = [];
    const observe = (observation: Observation) => void observations.push(observation);
    const router = new Router({ database, observe, filters: [] });
    router.mount('repo*', repoResource(database, { queries: () => new Map(), privates: () => new Set() }));
    let poller: JobPoller | undefined;
    const queue = new Queue({ database, notify: () => poller?.wake() });
    const platform: TaskScannerPlatform = {
      database,
      clock: { now: () => Date.now() },
      queue,
      resources: router,
      scripts: markingScripts(() => router),
      observe,
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
            from svc_scan_run where id = ${id}`.execute(test.db)
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
    const left = (await sql`select from queue_claim union all select from scan_slice`.execute(test.db)).rows;
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
        expect(nth).toBeGreaterThan(40);
        return;
      }
      database = openDatabase({ url: test.url, applicationName: APPLICATION, poolSize: 4 });
    }
  });
});
