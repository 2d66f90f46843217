/** Processes under people who want more than their tasks, with the rules that are shipped. */
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createApiKey } from '../../src/security/authentication/api-key-module.ts';
import type { Answer, Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { variableOwners } from '../support/variable-owners.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, extension, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

const shipped = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const PASSWORD = 'Passw0rd-of-users';
const field = (attributes: string) => `<flowable:formProperty ${attributes}/>`;

/** No form anywhere: callers may bring what they like, and nothing that the process has written. */
const free = (key: string) =>
  processFile(
    key,
    `<dataObject id="limit" name="limit" itemSubjectRef="xsd:int"><extensionElements><flowable:value>5</flowable:value></extensionElements></dataObject>` +
      start() +
      tag(
        'scriptTask',
        'own',
        { scriptFormat: 'javascript' },
        "<script>execution.setVariable('granted', 'nothing')</script>",
      ) +
      user('look', { 'flowable:assignee': 'mallory' }) +
      user('again', { 'flowable:assignee': 'mallory' }) +
      end() +
      path('s', 'own', 'look', 'again', 'e'),
  );
/** Forms of each kind, one after the other. */
const formed = processFile(
  'formed',
  start('s', extension(field('id="wish" type="string"') + field('id="level" writable="false"'))) +
    user('plain', { 'flowable:assignee': 'mallory' }) +
    user('named', { 'flowable:assignee': 'mallory', 'flowable:formKey': 'elsewhere.html' }) +
    user(
      'mapped',
      { 'flowable:assignee': 'mallory' },
      extension(field('id="days" variable="span" type="long"') + field('id="wish" writable="false"')),
    ) +
    end() +
    path('s', 'plain', 'named', 'mapped', 'e'),
);
const told = processFile(
  'told',
  `<startEvent id="s"/><receiveTask id="r" messageRef="hello"/><endEvent id="e"/>${path('s', 'r', 'e')}`,
);

const key = createApiKey('mallory');
const authentication = JSON.parse(shipped('conf/authentication.json')) as {
  serverAuthContext: { authModules: { name: string }[] };
};
authentication.serverAuthContext.authModules = authentication.serverAuthContext.authModules.map((module) =>
  module.name === 'API_KEY'
    ? {
        name: 'API_KEY',
        enabled: true,
        properties: { keys: [{ id: 'mallory', hash: key.hash, roles: ['svc-authorized', 'reviewer'] }] },
      }
    : module,
);
const FILES = {
  'conf/authentication.json': authentication,
  'conf/workflow.json': { forms: { acceptAny: ['opted'] } },
  'script/access.js': shipped('script/access.js').replace(
    'configs: [',
    "configs: [{ pattern: 'workflow/message', roles: 'svc-authorized', methods: 'action', actions: 'send' }, { pattern: 'workflow/signal', roles: 'svc-authorized', methods: 'action', actions: 'send' },",
  ),
  'workflow/accessRequest.bpmn20.xml': shipped('workflow/accessRequest.bpmn20.xml'),
  'workflow/contractorOnboarding.bpmn20.xml': shipped('workflow/contractorOnboarding.bpmn20.xml'),
  'workflow/free.bpmn20.xml': free('free'),
  'workflow/opted.bpmn20.xml': free('opted'),
  'workflow/formed.bpmn20.xml': formed,
  'workflow/told.bpmn20.xml': told,
  'workflow/review.bpmn20.xml': processFile(
    'review',
    start() +
      user('look', {
        'flowable:candidateUsers': 'alice,mallory',
        'flowable:candidateGroups': 'reviewer',
        name: 'Look',
      }) +
      end() +
      path('s', 'look', 'e'),
    { 'flowable:candidateStarterUsers': 'mallory,svc-admin' },
  ),
};

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;

const as = (userName: string) => (method: string, to: string, body?: unknown) =>
  api(method, to, { user: userName, password: PASSWORD, ...(body === undefined ? {} : { body }) });
const asKey = (method: string, to: string, body?: unknown) =>
  api(method, to, {
    user: null,
    headers: { 'X-Svc-Api-Key': key.key },
    ...(body === undefined ? {} : { body }),
  });
const begin = async (who: string, body: object): Promise<string> => {
  const { status, body: made } = await as(who)('POST', 'workflow/processinstance', body);
  expect([status, made]).toEqual([201, expect.anything()]);
  return made._id;
};
const taskAt = async (instance: string, element: string): Promise<string> => {
  const tasks = await workflow.tasks(instance);
  return tasks.find((one: { taskDefinitionKey: string }) => one.taskDefinitionKey === element)._id;
};
const complete = async (who: string, instance: string, element: string, body: object) =>
  as(who)('POST', `workflow/taskinstance/${await taskAt(instance, element)}?_action=complete`, body);
const variablesOf = async (instance: string) =>
  (await workflow.get(`processinstance/history/${instance}`)).processVariables;
const refusedFields = ({ status, body }: Answer) => {
  expect([status, body.detail?.id]).toEqual([400, 'WORKFLOW_NOT_WRITABLE']);
  return body.detail.violations.map((violation: { field: string }) => violation.field);
};

beforeAll(async () => {
  server = await startTestServer({ files: FILES });
  ({ api } = server);
  workflow = workflowApi(api);
  const person = async (userName: string, more: object = {}) => {
    const named = { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com` };
    const { status } = await api('PUT', `managed/user/${userName}-id`, {
      body: { ...named, password: PASSWORD, ...more },
    });
    expect(status).toBe(201);
  };
  await person('mallory');
  await person('alice', { manager: { _ref: 'managed/user/mallory-id' } });
  await person('bob');
  await person('clerk', { authzRoles: [{ _ref: 'repo/internal/role/svc-tasks-manager' }] });
  for (const name of ['auditor', 'superrole'])
    await api('PUT', `managed/role/${name}`, { body: { name, description: name, requestable: true } });
  await eventually(
    () => workflow.list('processdefinition'),
    (definitions) => definitions.length === 7,
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

const rolesOf = async (userName: string): Promise<string[]> =>
  (await api('GET', `managed/user/${userName}-id?_fields=roles`)).body.roles.map(
    ({ _ref }: { _ref: string }) => _ref,
  );

describe('the access request', () => {
  const request = { _key: 'accessRequest', userName: 'alice', role: 'auditor', reason: 'The audit' };

  it('grants what was asked for, to whom it was asked for, whatever its approver sends along', async () => {
    const id = await begin('alice', request);
    const forged = {
      decision: 'accept',
      roleId: 'superrole',
      person: { id: 'mallory-id', userName: 'alice' },
      decider: 'mallory',
      requester: 'bob',
      approver: 'clerk',
      role: 'superrole',
    };
    expect(refusedFields(await complete('mallory', id, 'approve', forged))).toEqual([
      '/roleId',
      '/person',
      '/decider',
      '/requester',
      '/approver',
      '/role',
    ]);
    expect(await workflow.openTasks(id)).toEqual(['approve']);
    const right = await complete('mallory', id, 'approve', { decision: 'accept', comment: 'Fine' });
    expect(right.status).toBe(200);
    expect([await rolesOf('alice'), await rolesOf('mallory')]).toEqual([['managed/role/auditor'], []]);
  });

  it('leaves its approver as long as it says', async () => {
    const hasty = await as('bob')('POST', 'workflow/processinstance', { ...request, patience: 'PT1S' });
    expect(refusedFields(hasty)).toEqual(['/patience']);
    const id = await begin('bob', request);
    const waits = (await workflow.get(`processinstance/${id}?_fields=waitsFor`)).waitsFor;
    const timer = waits.find((wait: { dueAt?: string }) => wait.dueAt !== undefined);
    expect(Date.parse(timer.dueAt) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
  });

  it('takes no more text than those who decide can read, and shows them the beginning of it', async () => {
    const huge = await as('bob')('POST', 'workflow/processinstance', {
      ...request,
      reason: 'x'.repeat(70_000),
    });
    expect([huge.status, huge.body.detail.id]).toEqual([413, 'WORKFLOW_VARIABLES_TOO_LARGE']);
    const named = (most: number) =>
      Object.fromEntries(Array.from({ length: most }, (_, at) => [`r${at}`, 1]));
    const crowd = await as('bob')('POST', 'workflow/processinstance', { ...request, ...named(15_000) });
    expect([crowd.status, crowd.body.detail.id]).toEqual([413, 'WORKFLOW_VARIABLES_TOO_LARGE']);
    const some = await as('bob')('POST', 'workflow/processinstance', { ...request, ...named(2_000) });
    expect(refusedFields(some)).toHaveLength(50);
    expect(some.body.message).toMatch(/and 1950 more$/);
    const long = await begin('bob', { ...request, reason: 'x'.repeat(60_000) });
    const [task] = await workflow.tasks(long);
    const { description } = await workflow.get(`taskinstance/${task!._id}`);
    expect(description).toHaveLength(4_000);
    expect(description).toMatch(/x…$/);
    await api('DELETE', `workflow/processinstance/${long}`);
  });

  it('is decided neither by whoever asks nor by whoever gets the role', async () => {
    for (const asked of [
      { by: 'mallory', body: { ...request, userName: 'alice', role: 'superrole' } },
      { by: 'clerk', body: { ...request, userName: 'bob', role: 'superrole' } },
      { by: 'bob', body: { ...request, userName: 'clerk', role: 'superrole' } },
    ]) {
      const id = await begin(asked.by, asked.body);
      const [open] = await workflow.tasks(id);
      // The manager who asks does not decide: others do.
      expect([open.taskDefinitionKey, open.assignee]).toEqual(['approve', null]);
      const isClerkConcerned = asked.by === 'clerk' || asked.body.userName === 'clerk';
      const task = `workflow/taskinstance/${open._id}`;
      await as('clerk')('POST', `${task}?_action=claim`, { userId: 'clerk' });
      const decided = await as('clerk')('POST', `${task}?_action=complete`, { decision: 'accept' });
      expect(decided.status).toBe(isClerkConcerned ? 403 : 200);
    }
    expect([await rolesOf('bob'), await rolesOf('clerk')]).toEqual([[], []]);
  });

  it('tells an ordinary user of nobody and nothing whether it exists', async () => {
    const ask = async (more: object, dryRun = '') => {
      const { status, body } = await as('bob')('POST', `workflow/processinstance${dryRun}`, {
        ...request,
        ...more,
      });
      const text = JSON.stringify(body)
        .replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}(?:\/\d+)?"/g, '"id"')
        .replaceAll(/"ms":[\d.]+/g, '"ms"');
      return { status, text: text.replaceAll(/processinstance\/[0-9a-f-]+|taskinstance\/[0-9a-f-]+/g, 'x') };
    };
    for (const dryRun of ['', '?_dryRun=true']) {
      const known = await ask({}, dryRun);
      expect(known.status).toBe(dryRun === '' ? 201 : 200);
      expect(known.text).not.toContain('mallory');
      expect(await ask({ userName: 'nobody' }, dryRun)).toEqual(known);
      expect(await ask({ role: 'nothing' }, dryRun)).toEqual(known);
    }
    const id = await begin('bob', { ...request, userName: 'nobody' });
    const [open] = await workflow.tasks(id);
    expect(open).toMatchObject({ name: 'Approve auditor for nobody', assignee: null });
    await as('clerk')('POST', `workflow/taskinstance/${open._id}?_action=claim`, { userId: 'clerk' });
    const decided = await complete('clerk', id, 'approve', { decision: 'accept' });
    expect([decided.status, decided.body.message]).toEqual([404, "There is no user 'nobody'"]);
    expect((await complete('clerk', id, 'approve', { decision: 'reject' })).status).toBe(200);
  });
});

test('the onboarding of a contractor opens the account that it has made, and is approved by another', async () => {
  const contractor = {
    givenName: 'Cleo',
    sn: 'Tract',
    mail: 'cleo@contractors.example',
    department: 'sales',
    lastDay: '2099-12-31',
  };
  const id = await begin('clerk', { _key: 'contractorOnboarding', ...contractor });
  await as('clerk')('POST', `workflow/taskinstance/${await taskAt(id, 'approve')}?_action=claim`, {
    userId: 'clerk',
  });
  expect((await complete('clerk', id, 'approve', { decision: 'accept' })).status).toBe(403);
  expect((await workflow.completeAt(id, 'approve', { decision: 'accept' })).status).toBe(200);
  await api('PATCH', 'managed/user/bob-id', {
    body: [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }],
  });
  const forged = { badgeNumber: '1', account: { id: 'bob-id' } };
  expect(refusedFields(await complete('clerk', id, 'badge', forged))).toEqual(['/account']);
  const place = { place: 'B 12', account: { id: 'bob-id' } };
  await as('clerk')('POST', `workflow/taskinstance/${await taskAt(id, 'workplace')}?_action=claim`, {
    userId: 'clerk',
  });
  expect(refusedFields(await complete('clerk', id, 'workplace', place))).toEqual(['/account']);
  expect((await complete('clerk', id, 'badge', { badgeNumber: '1' })).status).toBe(200);
  expect((await complete('clerk', id, 'workplace', { place: 'B 12' })).status).toBe(200);
  expect((await api('GET', 'managed/user/bob-id')).body.accountStatus).toBe('inactive');
  await api('PATCH', 'managed/user/bob-id', {
    body: [{ operation: 'replace', field: '/accountStatus', value: 'active' }],
  });
});

describe('a caller writes', () => {
  it('of the processes that are shipped, what docs/process-variables.md says', async () => {
    const documented = shipped('docs/process-variables.md').split('\n');
    const table = await variableOwners();
    expect(documented.filter((line) => line.startsWith('|'))).toEqual(table);
    expect(table.join('\n')).not.toContain('has no form');
  });

  it('what no form speaks of, where the process has no forms, and nothing that is of the process', async () => {
    const start = (more: object) =>
      as('mallory')('POST', 'workflow/processinstance', { _key: 'free', mine: 1, ...more });
    expect(refusedFields(await start({ limit: 1_000 }))).toEqual(['/limit']);
    // The process writes it later than the caller, and has the last word.
    const id = await begin('mallory', { _key: 'free', mine: 1, granted: 'all' });
    expect(await variablesOf(id)).toMatchObject({ granted: 'nothing', mine: 1, limit: 5 });
    const all = { granted: 'all', limit: 1_000, mine: 2 };
    expect(refusedFields(await complete('mallory', id, 'look', all))).toEqual(['/granted', '/limit']);
    expect((await complete('mallory', id, 'look', { mine: 2, other: 3 })).status).toBe(200);
    // Its own from an earlier task, too.
    expect((await complete('mallory', id, 'again', { mine: 4, other: 5 })).status).toBe(200);
    expect(await variablesOf(id)).toMatchObject({ granted: 'nothing', mine: 4, other: 5, limit: 5 });
  });

  it('anything where the process is said to accept it, but never in whose name it acts', async () => {
    const id = await begin('mallory', { _key: 'opted', limit: 1_000 });
    expect((await complete('mallory', id, 'look', { granted: 'all', svccontext: {} })).status).toBe(200);
    expect(await variablesOf(id)).toMatchObject({ granted: 'all', limit: 1_000 });
  });

  it('the writable fields of a form, by their names or those of their variables, and no others', async () => {
    const start = (more: object) =>
      as('mallory')('POST', 'workflow/processinstance', { _key: 'formed', ...more });
    const misspelt = await start({ wih: 'x', level: 'x' });
    expect(refusedFields(misspelt)).toEqual(['/wih', '/level']);
    expect(misspelt.body.detail.hint).toContain("'wish'");
    const id = await begin('mallory', { _key: 'formed', wish: 'x' });
    // A task without a form, in a process with forms.
    expect(refusedFields(await complete('mallory', id, 'plain', { any: 1 }))).toEqual(['/any']);
    expect((await complete('mallory', id, 'plain', {})).status).toBe(200);
    // A form of which only the key is known.
    expect(refusedFields(await complete('mallory', id, 'named', { wish: 'y', any: 1 }))).toEqual(['/wish']);
    expect((await complete('mallory', id, 'named', { any: 1 })).status).toBe(200);
    expect(refusedFields(await complete('mallory', id, 'mapped', { wish: 'y' }))).toEqual(['/wish']);
    expect((await complete('mallory', id, 'mapped', { span: 3 })).status).toBe(200);
    expect(await variablesOf(id)).toMatchObject({ wish: 'x', any: 1, span: 3 });
  });

  it('nothing more with messages and signals than it could with a task', async () => {
    const id = await begin('mallory', { _key: 'told' });
    const send = (kind: string, body: object) => as('mallory')('POST', `workflow/${kind}?_action=send`, body);
    const signal = await send('signal', { name: 'alarm', variables: { granted: 'all' } });
    expect([signal.status, signal.body.detail.id]).toEqual([400, 'WORKFLOW_NOT_WRITABLE']);
    const message = await send('message', { name: 'hello', processInstanceId: id, variables: { ok: true } });
    expect(message.status).toBe(200);
    expect(await variablesOf(id)).toMatchObject({ ok: true });
  });
});

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.database.db);
  return rows[0]!.n;
}

describe('a task', () => {
  const offered = async () => {
    const id = await workflow.start('review');
    return `workflow/taskinstance/${await taskAt(id, 'look')}`;
  };

  it('that one has claimed is taken over by no other candidate, nor given another name by anybody', async () => {
    const task = await offered();
    const rename = { name: 'Nothing to see here' };
    expect((await as('alice')('PUT', task, rename)).status).toBe(403);
    expect((await as('alice')('POST', `${task}?_action=claim`, { userId: 'alice' })).status).toBe(200);
    for (const body of [{ assignee: 'mallory' }, { assignee: null }, rename, { owner: 'mallory' }]) {
      expect((await as('mallory')('PUT', task, body)).status).toBe(403);
    }
    expect((await as('mallory')('POST', `${task}?_action=claim`, { userId: 'mallory' })).status).toBe(409);
    const shown = (await as('alice')('GET', task)).body;
    expect(shown).toMatchObject({ name: 'Look', assignee: 'alice', owner: null });
    expect((await as('alice')('PUT', task, rename)).status).toBe(403);
    // Whoever has it gives it back, in the way of interfaces: the whole task, with a change.
    expect((await as('alice')('PUT', task, { ...shown, assignee: null })).status).toBe(200);
    expect((await as('mallory')('PUT', task, { assignee: 'mallory' })).status).toBe(200);
  });

  it('is had by whoever takes it under the name of the account, however that is written', async () => {
    const task = await offered();
    expect((await as('alice')('POST', `${task}?_action=claim`, { userId: ' ALICE' })).status).toBe(200);
    expect((await as('alice')('GET', task)).body.assignee).toBe('alice');
    expect((await as('alice')('POST', `${task}?_action=claim`, { userId: 'Alice' })).status).toBe(200);
    expect((await as('alice')('PUT', task, { assignee: null })).status).toBe(200);
    expect((await as('mallory')('PUT', task, { assignee: 'Mallory' })).status).toBe(200);
    const { assignee } = (await as('mallory')('GET', task)).body;
    expect(assignee).toBe('mallory');
    // Nobody is told so who else has a name.
    expect((await as('mallory')('PUT', task, { assignee: 'BOB' })).status).toBe(200);
    expect((await api('GET', task)).body.assignee).toBe('BOB');
  });

  it('is had by one of two who take it at the same moment', async () => {
    const task = await offered();
    const answers = await Promise.all(
      ['alice', 'mallory'].map((who) => as(who)('PUT', task, { assignee: who })),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  it('is done by nobody from whom it is being taken away', async () => {
    const id = await begin('mallory', { _key: 'free' });
    const task = await taskAt(id, 'look');
    const others = await server.database.db.startTransaction().execute();
    // As a change of the task by an administrator does, whose commit is still to come.
    await sql`update workflow_state set revision = revision + 1 where instance_id = ${id}`.execute(others);
    await sql`update workflow_task set assignee = 'alice', revision = revision + 1 where id = ${task}`.execute(
      others,
    );
    const done = complete('mallory', id, 'look', {});
    await expect.poll(waiting).toBe(1);
    await others.commit().execute();
    expect((await done).status).toBe(403);
    expect((await api('GET', `workflow/taskinstance/${task}`)).body.assignee).toBe('alice');
  });

  it("is not a key's because a user of the same name has it", async () => {
    const id = await begin('mallory', { _key: 'free' });
    const task = `workflow/taskinstance/${await taskAt(id, 'look')}`;
    expect((await asKey('GET', task)).status).toBe(403);
    expect((await asKey('POST', `${task}?_action=complete`, {})).status).toBe(403);
    expect((await asKey('PUT', task, { assignee: 'bob' })).status).toBe(403);
    const own = await asKey('GET', 'endpoint/gettasksview?_queryId=tasks&viewType=assignee');
    expect(own.body.result).toEqual([]);
    expect((await as('mallory')('GET', task)).status).toBe(200);
    // What is offered to the user is not offered to the key, and the other way round.
    expect((await asKey('POST', 'workflow/processinstance', { _key: 'review' })).status).toBe(403);
    expect((await as('mallory')('POST', 'workflow/processinstance', { _key: 'review' })).status).toBe(201);
  });

  it('is a key’s by its role, and then under a name that no user has', async () => {
    const task = await offered();
    const name = 'authentication/api-key/mallory';
    expect((await asKey('GET', task)).status).toBe(200);
    expect((await asKey('POST', `${task}?_action=claim`, { userId: name })).status).toBe(200);
    expect((await as('mallory')('POST', `${task}?_action=complete`, {})).status).toBe(403);
    const own = await asKey('GET', 'endpoint/gettasksview?_queryId=tasks&viewType=assignee');
    expect(JSON.stringify(own.body.result)).toContain(name);
    expect((await asKey('POST', `${task}?_action=complete`, {})).status).toBe(200);
  });

  it('of a process that a key has started is not thereby one of the user of that name', async () => {
    const { body } = await asKey('POST', 'workflow/processinstance', { _key: 'told' });
    const instance = await workflow.get(`processinstance/${body._id}`);
    expect(instance.startUserId).toBe('authentication/api-key/mallory');
    const byUser = await workflow.list('processinstance', 'startUserId=mallory&processDefinitionKey=told');
    expect(byUser.map(({ _id }: { _id: string }) => _id)).not.toContain(body._id);
  });

  it("is not an internal user's, which cannot be created under the name of a managed user", async () => {
    const body = { password: 'Other-Passw0rd-1', roles: [{ _ref: 'repo/internal/role/svc-authorized' }] };
    for (const name of ['alice', 'Alice']) {
      const { status, body: answer } = await api('PUT', `repo/internal/user/${name}`, { body });
      expect([status, answer.detail?.id]).toEqual([403, 'AUTH_NAME_REFUSED']);
    }
    const task = await offered();
    expect((await api('GET', task, { user: 'alice', password: body.password })).status).toBe(401);
    expect((await as('alice')('GET', task)).status).toBe(200);
  });

  it('is shown to nobody whose role only has the name of the one that it is offered to', async () => {
    const name = 'svc-tasks-manager';
    const reference = { _ref: `managed/role/${name}` };
    await api('PUT', `managed/role/${name}`, { body: { name, description: 'Looks like it' } });
    await api('PATCH', 'managed/user/bob-id', {
      body: [{ operation: 'add', field: '/authzRoles/-', value: reference }],
    });
    const instance = await begin('mallory', {
      _key: 'accessRequest',
      role: 'auditor',
      reason: 'a secret one',
    });
    const seenBy = async (who: string) =>
      JSON.stringify((await as(who)('GET', 'endpoint/gettasksview?_queryId=tasks')).body.result);
    expect(await seenBy('bob')).toBe('[]');
    const shown = await seenBy('clerk');
    expect(shown).toContain(await taskAt(instance, 'approve'));
    // Nor are they among those to whom the task can be given.
    expect(shown).not.toContain('"username":"bob"');
  });
});

describe('a notification', () => {
  it("is not a key's because a user with the id of the key gets it", async () => {
    const note = (receiverId: string) =>
      api('PUT', `repo/ui/notification/${encodeURIComponent(`to-${receiverId.replaceAll('/', '-')}`)}`, {
        body: { receiverId, createDate: '2026-01-01T00:00:00.000Z', message: `To ${receiverId}` },
      });
    expect((await note('mallory')).status).toBe(201);
    expect((await note('authentication/api-key/mallory')).status).toBe(201);
    const { body } = await asKey('GET', 'endpoint/usernotifications');
    expect(body.notifications.map(({ message }: { message: string }) => message)).toEqual([
      'To authentication/api-key/mallory',
    ]);
    expect((await asKey('DELETE', 'endpoint/usernotifications/to-mallory')).status).toBe(404);
    expect((await api('GET', 'repo/ui/notification/to-mallory')).status).toBe(200);
  });
});
