import pg from 'pg';
import { expect, test } from 'vitest';
import { ConfigStore, readSettings } from '#config/index.ts';
import { Connection, systemContext } from '#resource/index.ts';
import { noScripts } from '#script/index.ts';
import { buildCore } from '../../src/app/core.ts';
import { noMemorySchedules } from '../../src/scheduler/index.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { createProject } from '../support/project.ts';
import { processFile } from '../support/workflow.ts';
import { boundary, end, flow, path, service, start, timer, user } from '../unit/workflow/engine/bpmn.ts';

/** Statements that this process sends while `work` is done. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const statements: string[] = [];
  prototype.query = function query(...args) {
    const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string })?.text ?? '');
    statements.push(text.trim().replace(/\s+/g, ' ').slice(0, 120));
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return statements;
}

test('a step of a process takes at most six statements, its transaction included', async () => {
  await using database = await createMigratedDatabase();
  await using project = await createProject();
  const environment = { SVC_PROJECT: project.location, DATABASE_URL: database.url };
  const config = await ConfigStore.open({
    settings: readSettings(environment),
    environment,
    report: () => {},
  });
  const core = buildCore({
    database,
    config,
    observe: () => {},
    keyRing: {},
    scripts: () => noScripts,
    state: () => ({ state: 'ACTIVE_READY', shortDesc: '' }),
    version: '0',
    memory: () => noMemorySchedules,
  });
  await core.queue.prepare();
  const connection = new Connection(core.router, systemContext());
  const steps = processFile(
    'steps',
    start() +
      user('one', { 'flowable:candidateUsers': 'a,b', 'flowable:candidateGroups': 'c' }) +
      boundary('late', 'one', timer('PT1H')) +
      service('count', '\u0024{1 + 1}', { 'flowable:resultVariable': 'two' }) +
      end() +
      end('over') +
      path('s', 'one', 'count', 'e') +
      flow('late', 'over'),
  );
  await connection.action('workflow/deployment', 'deploy', { name: 'steps.bpmn20.xml', content: steps });
  const begin = () => connection.create('workflow/processinstance', null, { _key: 'steps', a: 1, b: [2] });
  await begin();

  let id = '';
  const starting = await statementsOf(async () => {
    id = String((await begin()).id);
  });
  // The boundary timer is a job of the queue, which costs one of them.
  expect(starting.length, starting.join('\n')).toBeLessThanOrEqual(6);

  const { result } = await connection.query('workflow/taskinstance', {
    queryId: 'filtered-query',
    parameters: { processInstanceId: id },
  });
  const task = String(result[0]?.id);
  const claiming = await statementsOf(() =>
    connection.action(`workflow/taskinstance/${task}`, 'claim', { userId: 'a' }),
  );
  expect(claiming.length, claiming.join('\n')).toBeLessThanOrEqual(6);
  const completing = await statementsOf(() =>
    connection.action(`workflow/taskinstance/${task}`, 'complete', { c: 3 }),
  );
  expect(completing.length, completing.join('\n')).toBeLessThanOrEqual(6);
});
