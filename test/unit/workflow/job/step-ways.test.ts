import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import { createMigratedDatabase } from '../../../support/migrated-database.ts';
import { createProject } from '../../../support/project.ts';
import { waysOf } from '../../../support/ways-of.ts';
import { processFile } from '../../../support/workflow.ts';
import { openWorkflowCore } from '../../../support/workflow-core.ts';
import { cycle, end, path, start, tag, user } from '../engine/bpmn.ts';

const waiting = user('task') + end() + path('s', 'task', 'e');
const PROCESSES = {
  called: start() + waiting,
  calling:
    start() + tag('callActivity', 'call', { calledElement: 'called' }) + end() + path('s', 'call', 'e'),
  signalled:
    start() +
    '<intermediateCatchEvent id="wait"><signalEventDefinition signalRef="alarm"/></intermediateCatchEvent>' +
    user('task') +
    end() +
    path('s', 'wait', 'task', 'e'),
  clock: `<startEvent id="s">${cycle('R/PT1H')}</startEvent>${waiting}`,
};

/** A way more is a commit that is not shared, or a lock that is waited for. */
describe('the way to the database of what one process means for others', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;
  let core: Awaited<ReturnType<typeof openWorkflowCore>>;

  beforeAll(async () => {
    database = scope.use(await createMigratedDatabase());
    const project = scope.use(await createProject());
    core = await openWorkflowCore(database, project.location);
    for (const [key, body] of Object.entries(PROCESSES)) {
      const file = { name: `${key}.bpmn20.xml`, content: processFile(key, body) };
      await core.connection.action('workflow/deployment', 'deploy', file);
    }
  });
  afterAll(() => scope.disposeAsync());

  const begin = (key: string) => core.connection.create('workflow/processinstance', null, { _key: key });
  const count = async (table: string, where: string) => {
    const counted = sql<{ n: string }>`select count(*) as n from ${sql.table(table)} where ${sql.raw(where)}`;
    return Number((await counted.execute(database.db)).rows[0]?.n);
  };
  const openTasks = (key: string) => count('workflow_task', `definition_key = '${key}' and ended_at is null`);

  it('is taken three times to start a process that calls another one, and to end the called one', async () => {
    const complete = async () => {
      const { result } = await core.connection.query('workflow/taskinstance', { queryId: 'query-all-ids' });
      const task = `workflow/taskinstance/${String(result[0]?.id)}`;
      return waysOf(database, () => core.connection.action(task, 'complete', {}));
    };
    for (let time = 0; time < 2; time += 1) {
      await begin('calling');
      await complete();
    }
    expect(await waysOf(database, () => begin('calling'))).toBe(3);
    expect(await openTasks('called')).toBe(1);
    expect(await complete()).toBe(3);
    expect(await openTasks('called')).toBe(0);
    expect(await count('workflow_instance', 'ended_at is null')).toBe(0);
    expect(await count('workflow_state', 'true')).toBe(0);
  });

  it('is taken twice by signals for many that were busy when they were sent', async () => {
    const ways: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      for (let n = 0; n < 3; n += 1) await begin('signalled');
      await database.db.transaction().execute(async (transaction) => {
        await sql`select from workflow_state for update`.execute(transaction);
        await core.connection.action('workflow/signal', 'send', { name: 'alarm' });
      });
      expect(await count('workflow_job', "kind = 'signal'")).toBeGreaterThan(2);
      const jobs = await core.claim(10);
      ways.push(
        await waysOf(database, async () => {
          const results = await core.run(jobs);
          expect(new Set(results.map((result) => result.end))).toEqual(new Set(['completed']));
        }),
      );
      expect(await count('workflow_job', "kind = 'signal'")).toBe(0);
      expect(await openTasks('signalled')).toBe(3 * round);
    }
    expect(ways.at(-1)).toBe(2);
  });

  it('is taken three times by a timer that starts a process', async () => {
    const ways: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      await sql`update work_job set due_at = clock_timestamp() where node_id is null`.execute(database.db);
      const jobs = await core.claim(10);
      expect(jobs).toHaveLength(1);
      ways.push(await waysOf(database, () => core.run(jobs)));
      expect(await openTasks('clock')).toBe(round);
      // It waits for the next time, once.
      expect(await count('workflow_job', `kind = 'startTimer' and revision = ${round + 1}`)).toBe(1);
      expect(await count('work_job', 'true')).toBe(1);
    }
    expect(ways.at(-1)).toBe(3);
  });
});
