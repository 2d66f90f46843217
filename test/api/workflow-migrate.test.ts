import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { type OperatorSite, ORDINARY, startOperatorSite } from '../support/operator-site.ts';
import { processFile } from '../support/workflow.ts';
import { boundary, end, gateway, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';

/** Two tasks beside each other, by their ids; the first has a timer. */
const version = (first: string, second: string, after = '') =>
  processFile(
    'paired',
    start() +
      gateway('parallel', 'split') +
      user(first) +
      boundary('late', first, timer('PT1H')) +
      tag('userTask', second, { name: 'Second', 'flowable:candidateUsers': 'ann' }) +
      end() +
      path('s', 'split', first, 'e') +
      path('split', second, 'e') +
      path('late', 'e') +
      after,
  );

const MAX = { user: 'max', password: 'Passw0rd-of-movers' };
const SHIPPED = readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8');
const MOVERS =
  "{ pattern: 'workflow/processinstance/*', roles: 'mover', methods: 'action', actions: 'migrate' },";

let site: OperatorSite;
let api: Api;
let workflow: OperatorSite['workflow'];
let versions: string[];
const migrate = (id: string, body: unknown, options: CallOptions = {}, parameters = '') =>
  api('POST', `workflow/processinstance/${id}?_action=migrate${parameters}`, { body, ...options });
const plan = (body: unknown, options: CallOptions = {}) =>
  api('POST', `workflow/processdefinition/${versions[0]}?_action=planMigration`, { body, ...options });
const startOld = (body: Record<string, unknown> = {}) =>
  api('POST', 'workflow/processinstance', { body: { _processDefinitionId: versions[0], ...body } }).then(
    (answer) => answer.body._id as string,
  );

beforeAll(async () => {
  const rules = SHIPPED.replace('configs: [', `configs: [ ${MOVERS}`);
  site = await startOperatorSite({ paired: version('a', 'b') }, { 'script/access.js': rules });
  ({ api, workflow } = site);
  await api('PUT', 'managed/role/mover', { body: { name: 'mover', description: 'Migrates' } });
  const person = { userName: 'max', givenName: 'Max', sn: 'Test', mail: 'max@example.com' };
  const authzRoles = [{ _ref: 'managed/role/mover' }];
  await api('PUT', 'managed/user/max', { body: { ...person, password: MAX.password, authzRoles } });
  for (const content of [version('a', 'c'), version('x', 'c')]) {
    await api('POST', 'workflow/deployment?_action=deploy', { body: { name: 'paired.bpmn20.xml', content } });
  }
  const all = await workflow.list('processdefinition', 'key=paired');
  versions = all
    .sort((left: { version: number }, right: { version: number }) => left.version - right.version)
    .map(({ _id }: { _id: string }) => _id);
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('two versions', () => {
  test('are compared element by element, with what either is called', async () => {
    const compare = (body: object) =>
      api('POST', `workflow/processdefinition/${versions[0]}?_action=compare`, { body });
    const { body } = await compare({ to: versions[2] });
    const [from, to] = [versions[0], versions[2]];
    expect(body).toMatchObject({ from, to });
    const found = body.elements.map(({ element, change, kind }: Record<string, string>) =>
      [change, kind, element].join(' '),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'removed userTask a',
        'removed userTask b',
        'added userTask x',
        'added userTask c',
      ]),
    );
    expect((await compare({ to: versions[0] })).body.detail.id).toBe('WORKFLOW_MIGRATE_SAME');
    expect((await compare({ too: versions[2] })).body.detail.id).toBe('WORKFLOW_BAD_FIELD');
  });
});

describe('a migration', () => {
  test('to a version that is named takes tasks to the elements that they are mapped to, with who has them', async () => {
    const id = await startOld();
    const before = await workflow.tasks(id);
    await api('POST', `workflow/taskinstance/${before[1]._id}?_action=claim`, { body: { userId: 'ann' } });
    const mapping = { a: 'x', b: 'c' };
    const rehearsed = await migrate(id, { processDefinitionId: versions[2], mapping }, {}, '&_dryRun=true');
    expect(rehearsed.body.changes[0].after).toMatchObject({
      processDefinitionId: versions[2],
      at: ['x', 'c'],
      act: { kind: 'migrate', from: versions[0], to: versions[2], mapping },
    });
    expect((await workflow.tasks(id)).map((task: { _rev: string }) => task._rev)[0]).toBe(before[0]._rev);
    expect((await migrate(id, { processDefinitionId: versions[2], mapping })).status).toBe(200);
    const after = await workflow.tasks(id);
    expect(after).toMatchObject([
      { _id: before[0]._id, taskDefinitionKey: 'x', processDefinitionId: versions[2] },
      { _id: before[1]._id, taskDefinitionKey: 'c', assignee: 'ann' },
    ]);
    const { events, activities, waitsFor } = await workflow.get(
      `processinstance/${id}?_fields=events,activities,waitsFor`,
    );
    expect(events).toMatchObject([
      { userId: 'svc-admin', stimulus: { kind: 'migrate', to: versions[2], mapping } },
    ]);
    expect(activities).toContainEqual(
      expect.objectContaining({
        element: 'a',
        left: expect.any(String),
        reason: 'process instance migrated',
      }),
    );
    expect(activities).toContainEqual(expect.objectContaining({ element: 'x', left: null }));
    expect(waitsFor.filter(({ type }: { type: string }) => type === 'timer')).toHaveLength(1);
    await workflow.completeAt(id, 'x');
    await workflow.completeAt(id, 'c');
    expect((await workflow.get(`processinstance/${id}`)).endTime).not.toBeNull();
  });

  test('that does not fit tells all that stands in the way, and changes nothing', async () => {
    const id = await startOld();
    const { status, body } = await migrate(id, { processDefinitionId: versions[2] });
    expect([status, body.detail.id]).toEqual([409, 'WORKFLOW_MIGRATE_REFUSED']);
    const message = 'is active and does not exist in the new version';
    expect(body.detail.refusals).toEqual([
      { element: 'a', message },
      { element: 'b', message },
    ]);
    expect(await workflow.openTasks(id)).toEqual(['a', 'b']);
    expect((await migrate(id, undefined)).status).toBe(500);
  });

  test('goes back to an older version as well', async () => {
    const id = await startOld();
    await migrate(id, { processDefinitionId: versions[1], mapping: { b: 'c' } });
    expect((await migrate(id, { processDefinitionId: versions[0], mapping: { c: 'b' } })).status).toBe(200);
    expect(await workflow.openTasks(id)).toEqual(['a', 'b']);
  });

  test.each<[(ids: string[]) => unknown, number, string]>([
    [() => [], 400, 'WORKFLOW_BAD_FIELD'],
    [() => ({ to: 'x' }), 400, 'WORKFLOW_BAD_FIELD'],
    [() => ({ processDefinitionId: 7 }), 400, 'WORKFLOW_BAD_FIELD'],
    [() => ({ processDefinitionId: 'none:1:1' }), 404, 'WORKFLOW_NO_DEFINITION'],
    [([old]) => ({ processDefinitionId: old }), 400, 'WORKFLOW_MIGRATE_SAME'],
    [(ids) => ({ processDefinitionId: ids[2], mapping: { nope: 'x' } }), 400, 'WORKFLOW_BAD_FIELD'],
    [(ids) => ({ processDefinitionId: ids[2], mapping: { a: 'nope' } }), 400, 'WORKFLOW_BAD_FIELD'],
    [(ids) => ({ processDefinitionId: ids[2], mapping: 'a' }), 400, 'WORKFLOW_BAD_FIELD'],
  ])('asked for wrongly is refused (%#)', async (body, status, id) => {
    const instance = await startOld();
    const answer = await migrate(instance, body(versions));
    expect([answer.status, answer.body.detail.id]).toEqual([status, id]);
  });
});

describe('the plan of a migration', () => {
  test('says for each element whether its instances can move, and how many could as a whole', async () => {
    const mine = [await startOld({ _businessKey: 'planned' }), await startOld({ _businessKey: 'planned' })];
    await workflow.completeAt(mine[0] ?? '', 'b');
    const queryFilter = 'businessKey eq "planned"';
    const message = 'is active and does not exist in the new version';
    expect((await plan({ to: versions[1], queryFilter })).body).toEqual({
      from: versions[0],
      to: versions[1],
      instances: 2,
      ok: 1,
      refused: 1,
      elements: [
        { element: 'a', name: 'a', to: 'a', doing: 'task', instances: 2, isOk: true },
        { element: 'b', name: 'Second', to: 'b', doing: 'task', instances: 1, isOk: false, reason: message },
      ],
    });
    expect((await plan({ to: versions[1], queryFilter, mapping: { b: 'c' } })).body).toMatchObject({
      instances: 2,
      ok: 2,
      refused: 0,
    });
    expect(
      (await plan({ to: versions[1], queryFilter: 'startTime lt "2020-01-01T00:00:00Z"' })).body,
    ).toMatchObject({
      instances: 0,
      elements: [],
    });
  });

  test.each([
    [{}, 'WORKFLOW_BAD_FIELD'],
    [{ to: 'paired', sample: 3 }, 'WORKFLOW_BAD_FIELD'],
    [{ to: '$1', queryFilter: 7 }, 'WORKFLOW_BAD_FIELD'],
    [{ to: '$1', queryFilter: 'state eq "x"' }, 'QUERY_UNKNOWN_FIELD'],
  ])('is refused for %j', async (body, id) => {
    const to = 'to' in body && body.to === '$1' ? { to: versions[1] } : {};
    const answer = await plan({ ...body, ...to });
    expect([answer.status, answer.body.detail.id]).toEqual([400, id]);
  });
});

test('only administrators migrate, and plan it', async () => {
  const id = await startOld();
  for (const options of ORDINARY) {
    expect((await migrate(id, { processDefinitionId: versions[1] }, options)).status).toBe(403);
    expect((await plan({ to: versions[1] }, options)).status).toBe(403);
  }
});

test('a rehearsed deployment says which version it replaces, and which elements come, go and change', async () => {
  const changed = version('x', 'd').replace('PT1H', 'PT2H');
  const deploy = (name: string, content: string) =>
    api('POST', 'workflow/deployment?_action=deploy&_dryRun=true', { body: { name, content } });
  const { changes } = (await deploy('paired.bpmn20.xml', changed)).body;
  expect(changes).toMatchObject([
    {
      operation: 'create',
      after: {
        version: 4,
        replaces: {
          _id: versions[2],
          version: 3,
          added: expect.arrayContaining(['d']),
          removed: expect.arrayContaining(['c']),
          changed: expect.arrayContaining(['late']),
        },
      },
    },
  ]);
  expect(changes[0].after.replaces.changed).not.toContain('x');
  // What only the process calls itself is a change of the process.
  const called = version('x', 'c').replace('<process id="paired"', '<process id="paired" name="Pairs"');
  const renamed = (await deploy('paired.bpmn20.xml', called)).body;
  expect(renamed.changes[0].after.replaces).toMatchObject({ added: [], removed: [], changed: ['paired'] });
  const fresh = (await deploy('other.bpmn20.xml', version('a', 'b').replaceAll('"paired"', '"fresh"'))).body;
  expect(fresh.changes[0].after).toMatchObject({ version: 1, replaces: null });
});

test('who migrates and may not evaluate scripts goes to the latest version, and each element to that of its id', async () => {
  const [old, ...later] = versions;
  const content = version('x', 'c').replace('PT1H', 'PT3H');
  await api('POST', 'workflow/deployment?_action=deploy', { body: { name: 'paired.bpmn20.xml', content } });
  const id = await api('POST', 'workflow/processinstance', {
    body: { _processDefinitionId: later[1] },
  }).then((answer) => answer.body._id as string);
  for (const [body, field] of [
    [{ mapping: { x: 'c' } }, '/mapping'],
    [{ processDefinitionId: old, mapping: { x: 'a' } }, '/mapping'],
    [{ processDefinitionId: later[0] }, '/processDefinitionId'],
  ]) {
    const { status, body: refusal } = await migrate(id, body, MAX);
    expect([status, refusal.detail]).toMatchObject([403, { id: 'SCRIPT_NOT_ALLOWED', field }]);
  }
  expect((await migrate(id, { mapping: { x: 'x' } }, MAX)).status).toBe(200);
});
