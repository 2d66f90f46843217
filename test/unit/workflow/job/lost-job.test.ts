import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#database/index.ts';
import { releaseJobs, runJob } from '#queue/index.ts';
import { createMigratedDatabase } from '../../../support/migrated-database.ts';
import { createProject } from '../../../support/project.ts';
import { processFile } from '../../../support/workflow.ts';
import { openWorkflowCore } from '../../../support/workflow-core.ts';
import { end, path, start, tag } from '../engine/bpmn.ts';

const DELEGATE = (name: string) => `\${${name}}`;
const asking = processFile(
  'asking',
  start() +
    tag('serviceTask', 'ask', { 'flowable:async': 'true', 'flowable:delegateExpression': DELEGATE('ask') }) +
    end() +
    path('s', 'ask', 'e'),
);
/** Told of each time that it is asked; nothing takes that back. */
const asked: string[] = [];
Object.assign(globalThis, { asked });
const ask = `export const delegates = { ask: ({ execution }) => void globalThis.asked.push(execution.processInstanceId) };`;

const scope = new AsyncDisposableStack();
let database: Database;
let core: Awaited<ReturnType<typeof openWorkflowCore>>;

beforeAll(async () => {
  database = scope.use(await createMigratedDatabase());
  const project = scope.use(await createProject({ 'service/ask.mjs': ask }));
  core = await openWorkflowCore(database, project.location);
  await core.connection.action('workflow/deployment', 'deploy', {
    name: 'asking.bpmn20.xml',
    content: asking,
  });
});
afterAll(() => scope.disposeAsync());

test('what nobody can take back is not done for a job that is to be done by another node', async () => {
  const { id } = await core.connection.create('workflow/processinstance', null, { _key: 'asking' });
  const [held] = await core.claim(1);
  await releaseJobs(database.db, { holder: core.holder, lost: 'silent' });
  await sql`update work_job set due_at = clock_timestamp()`.execute(database.db);

  expect(await runJob(core.core.queue, held!)).toMatchObject({ end: 'fencedOut' });
  expect(asked).toEqual([]);
  const [again] = await core.claim(1);
  expect(await runJob(core.core.queue, again!)).toMatchObject({ end: 'completed', error: null });
  expect(asked).toEqual([id]);
});
