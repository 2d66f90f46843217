import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile, workflowApi } from '../support/workflow.ts';

const PASSWORD = 'Passw0rd-of-users';
const task = (id: string, attributes: string) =>
  `<startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="${id}"/>
   <userTask id="${id}" name="To do" ${attributes}/>
   <sequenceFlow id="b" sourceRef="${id}" targetRef="e"/><endEvent id="e"/>`;
const FILES = {
  'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8'),
  'workflow/review.bpmn20.xml': processFile('review', task('look', 'flowable:candidateGroups="reviewer"')),
  'workflow/own.bpmn20.xml': processFile('own', task('mine', 'flowable:assignee="ann"')),
  'workflow/clerks.bpmn20.xml': processFile(
    'clerks',
    task('file', 'flowable:candidateUsers="svc-admin,ann,gone" flowable:candidateGroups="svc-tasks-manager"'),
  ),
  'workflow/board.bpmn20.xml': processFile('board', task('vote', 'flowable:assignee="ann"'), {
    'flowable:candidateStarterGroups': 'board',
  }),
};

describe('an endpoint that is shipped', () => {
  let server: TestServer;
  let api: Api;
  let workflow: ReturnType<typeof workflowApi>;
  const as = (user: string, method: string, path: string) => api(method, path, { user, password: PASSWORD });

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    ({ api } = server);
    workflow = workflowApi(api);
    await api('PUT', 'managed/role/reviewer', { body: { name: 'reviewer', description: 'Looks at it' } });
    const authorized = { _ref: 'repo/internal/role/svc-authorized' };
    for (const [userName, roles] of [
      ['ann', [authorized, { _ref: 'managed/role/reviewer' }]],
      ['bob', [authorized, { _ref: 'managed/role/reviewer' }]],
      ['cid', [authorized]],
      ['dot', [authorized, { _ref: 'repo/internal/role/svc-tasks-manager' }]],
    ] as const) {
      const person = { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com` };
      const body = { ...person, password: PASSWORD, authzRoles: roles };
      const made = await api('PUT', `managed/user/${userName}-id`, { body });
      expect([made.status, made.body]).toEqual([201, expect.anything()]);
    }
    const roles = [{ _ref: 'repo/internal/role/svc-tasks-manager' }];
    await api('PUT', 'repo/internal/user/clerk', { body: { roles, password: PASSWORD } });
    await eventually(
      () => workflow.list('processdefinition'),
      (definitions) => definitions.length === 4,
    );
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('gettasksview shows the own tasks, and those of the own roles with whom they may be given to', async () => {
    const own = await workflow.start('own', { _businessKey: 'first' });
    await workflow.start('own');
    const shared = await workflow.start('review');
    const { status, body } = await as('ann', 'GET', 'endpoint/gettasksview?_queryId=x&viewType=assignee');
    expect([status, body.resultCount]).toEqual([200, 1]);
    const [kind] = Object.keys(body.result[0]);
    expect(kind).toMatch(/^mine:/);
    const { name, tasks } = body.result[0][kind!];
    expect([name, tasks.length]).toEqual(['To do', 2]);
    expect(tasks[0]).toMatchObject({
      assignee: 'ann',
      processInstanceId: own,
      businessKey: 'first',
      startTime: expect.any(String),
      startUserId: 'svc-admin',
      taskDefinition: { _id: 'mine', name: 'To do' },
    });
    const ofRoles = (await as('bob', 'GET', 'endpoint/gettasksview?_queryId=x')).body.result;
    const [[first]] = Object.values(ofRoles[0]).map((each) => (each as { tasks: object[] }).tasks) as [
      [object],
    ];
    const users = [
      { _id: 'ann-id', username: 'ann', displayableName: 'ann Test' },
      { _id: 'bob-id', username: 'bob', displayableName: 'bob Test' },
    ];
    expect(first).toMatchObject({ processInstanceId: shared, usersToAssign: { users, assignee: null } });
    expect((await as('cid', 'GET', 'endpoint/gettasksview?_queryId=x')).body.result).toEqual([]);
    // Whom it is offered to may take it.
    const [{ _id: offered }] = await workflow.tasks(shared);
    const claim = async (user: string) => {
      const request = { user, password: PASSWORD, body: { userId: user } };
      return (await api('POST', `workflow/taskinstance/${offered}?_action=claim`, request)).status;
    };
    expect([await claim('cid'), await claim('bob'), await claim('ann')]).toEqual([403, 200, 409]);
    expect((await api('GET', 'endpoint/gettasksview')).status).toBe(501);
  });

  it('getavailableuserstoassign says who may have a task', async () => {
    const [{ _id: id }] = await workflow.tasks(await workflow.start('own'));
    const users = [{ _id: 'ann-id', username: 'ann', displayableName: 'ann Test' }];
    const read = await api('GET', `endpoint/getavailableuserstoassign/${id}`);
    expect(read.body).toMatchObject({ users, assignee: 'ann' });
    expect((await api('GET', `endpoint/getavailableuserstoassign?taskId=${id}`)).body).toMatchObject({
      users,
    });
    const query = await api('GET', `endpoint/getavailableuserstoassign?_queryId=x&taskId=${id}`);
    expect(query.body.result).toMatchObject([{ users }]);
    expect((await api('GET', 'endpoint/getavailableuserstoassign/none')).status).toBe(404);
    expect((await api('GET', 'endpoint/getavailableuserstoassign')).status).toBe(400);
    expect((await api('DELETE', `endpoint/getavailableuserstoassign/${id}`)).status).toBe(501);
    expect((await as('ann', 'GET', `endpoint/getavailableuserstoassign/${id}`)).status).toBe(403);
  });

  it('getavailableuserstoassign knows internal users, by name and by role', async () => {
    const [{ _id: id }] = await workflow.tasks(await workflow.start('clerks'));
    const { body } = await api('GET', `endpoint/getavailableuserstoassign/${id}`);
    const internal = (name: string) => ({ _id: name, username: name, displayableName: name });
    expect(body.users).toEqual([
      { _id: 'ann-id', username: 'ann', displayableName: 'ann Test' },
      internal('clerk'),
      internal('svc-admin'),
    ]);
  });

  it('getavailableuserstoassign names a thousand of a role that has more, and says so', async () => {
    await server.database.pool.query(
      `with made as (
         insert into managed_object (type, id, data)
         select 'user', 'many-' || n, jsonb_build_object('userName', 'many-' || n) from generate_series(1, 1100) n
         returning id)
       insert into relationship (id, first_collection, first_id, first_property, second_collection, second_id, second_property)
       select 'edge-' || m.id, first_collection, case when first_id = 'bob-id' then m.id else first_id end, first_property,
              second_collection, case when second_id = 'bob-id' then m.id else second_id end, second_property
       from made m, relationship r
       where 'bob-id' in (r.first_id, r.second_id) and 'reviewer' in (r.first_id, r.second_id)`,
    );
    const [{ _id: id }] = await workflow.tasks(await workflow.start('review'));
    const { status, body } = await api('GET', `endpoint/getavailableuserstoassign/${id}`);
    expect([status, body.users?.length, body.truncated]).toEqual([200, 1_000, true]);
    await server.database.pool.query("delete from relationship where id like 'edge-many-%'");
    expect((await api('GET', `endpoint/getavailableuserstoassign/${id}`)).body.truncated).toBeUndefined();
  });

  it('getprocessesforuser shows the latest version of what the caller may start', async () => {
    const keys = async (user: string) => {
      const { processes } = (await as(user, 'GET', 'endpoint/getprocessesforuser')).body;
      return processes.map(({ key, version }: { key: string; version: number }) => `${key} ${version}`);
    };
    expect(await keys('cid')).toEqual(['clerks 1', 'own 1', 'review 1']);
    const [{ _id: id }] = await workflow.list('processdefinition', 'key=board');
    const definition = (await workflow.get(`processdefinition/${id}`)) as Record<string, unknown>;
    expect(definition['candidateStarterGroups']).toEqual(['board']);
    const body = { _processDefinitionId: id };
    const start = await api('POST', 'workflow/processinstance', { body, user: 'cid', password: PASSWORD });
    expect(start.status).toBe(403);
    await server.project.write(
      'workflow/own.bpmn20.xml',
      processFile('own', task('mine', 'flowable:assignee="bob"')),
    );
    await eventually(
      () => keys('cid'),
      ([, own]) => own === 'own 2',
    );
    expect((await api('POST', 'endpoint/getprocessesforuser?_action=x')).status).toBe(501);
  });

  it('processes are for whom process-access.json says, if there is one', async () => {
    const keys = async (user: string) => {
      const { processes } = (await as(user, 'GET', 'endpoint/getprocessesforuser')).body;
      return processes.map(({ key }: { key: string }) => key);
    };
    const start = async (user: string, body: object) =>
      (await api('POST', 'workflow/processinstance', { body, user, password: PASSWORD })).status;
    const rule = (property: string, matches: string, requiresRole: string) => ({
      propertiesCheck: { property, matches, requiresRole },
    });
    expect(await start('cid', { _key: 'own' })).toBe(201);
    expect([await start('cid', { _key: 'board' }), await start('cid', { _key: 'none' })]).toEqual([403, 403]);
    const open = 'config/process/access';
    const broken = await api('PUT', open, {
      body: { workflowAccess: [rule('key', '(', 'svc-authorized')] },
    });
    expect(broken.status).toBe(400);
    expect(JSON.stringify(broken.body)).toMatch(/Unterminated group/);
    const workflowAccess = [
      rule('_id', '^(own|board):', 'svc-authorized'),
      rule('key', 'view$', 'managed/role/reviewer'),
      rule('version', '.', 'repo/internal/role/svc-tasks-manager'),
      rule('description', '.*', 'svc-authorized'),
    ];
    expect((await api('PUT', open, { body: { workflowAccess } })).status).toBe(201);
    expect(await keys('ann')).toEqual(['own', 'review']);
    expect(await keys('cid')).toEqual(['own']);
    expect(await keys('dot')).toEqual(['clerks', 'own', 'review']);
    const [{ _id: review }] = await workflow.list('processdefinition', 'key=review');
    for (const [user, shown, started] of [
      ['ann', 200, 201],
      ['cid', 403, 403],
    ] as const) {
      expect((await as(user, 'GET', `workflow/processdefinition/${review}`)).status, user).toBe(shown);
      expect(await start(user, { _key: 'review' }), user).toBe(started);
      expect(await start(user, { _processDefinitionId: review, _key: 'own' }), user).toBe(started);
    }
    expect(await start('cid', { _key: 'own' })).toBe(201);
    // What the file of a process says still holds.
    expect(await start('cid', { _key: 'board' })).toBe(403);
    expect((await api('PUT', open, { body: { workflowAccess: [] } })).status).toBe(200);
    expect([await keys('ann'), await start('ann', { _key: 'own' })]).toEqual([[], 403]);
    const { processes } = (await api('GET', 'endpoint/getprocessesforuser')).body;
    expect(processes).toHaveLength(4);
    await workflow.start('review');
    expect((await api('DELETE', open)).status).toBe(200);
    expect(await keys('cid')).toEqual(['clerks', 'own', 'review']);
  });

  it('usernotifications shows the own ones, the newest first, and forgets them one by one', async () => {
    const tell = async (receiverId: string, createDate: string) =>
      (await api('POST', 'repo/ui/notification', { body: { receiverId, createDate, message: 'm' } })).body
        ._id;
    const old = await tell('ann-id', '2026-01-01T00:00:00Z');
    const recent = await tell('ann-id', '2026-02-01T00:00:00Z');
    const foreign = await tell('bob-id', '2026-02-01T00:00:00Z');
    const ids = async () =>
      (await as('ann', 'GET', 'endpoint/usernotifications')).body.notifications.map(
        ({ _id }: { _id: string }) => _id,
      );
    expect(await ids()).toEqual([recent, old]);
    expect((await as('ann', 'DELETE', `endpoint/usernotifications/${old}`)).status).toBe(200);
    expect(await ids()).toEqual([recent]);
    expect((await as('ann', 'DELETE', `endpoint/usernotifications/${foreign}`)).status).toBe(404);
    expect((await as('bob', 'GET', 'endpoint/usernotifications')).body.notifications).toHaveLength(1);
    expect((await api('PATCH', 'endpoint/usernotifications', { body: [] })).status).toBe(501);
  });

  it('usernotifications tells nobody what an account of another type with the same id is told', async () => {
    const shownTo = async (component: string, id = 'cid-id') => {
      const caller = JSON.stringify({ component, id });
      const source = `const context = { security: { authorization: ${caller} } };
        require('ui/notifications').answer({ method: 'read', resourcePath: '' }, context).notifications.map((one) => one.message)`;
      return (await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } })).body;
    };
    for (const [receiverId, message] of [
      ['cid-id', 'by id'],
      ['managed/user/cid-id', 'by path'],
      ['managed/customer/cid-id', 'customer'],
      ['repo/internal/user/cid-id', 'internal'],
      ['apikey/cid-id', 'program'],
    ]) {
      const body = { receiverId, message, createDate: '2026-01-01T00:00:00Z' };
      await api('POST', 'repo/ui/notification', { body });
    }
    expect((await shownTo('managed/user')).toSorted()).toEqual(['by id', 'by path']);
    expect(await shownTo('managed/customer')).toEqual(['customer']);
    expect(await shownTo('internal/user')).toEqual(['internal']);
    expect(await shownTo('apikey')).toEqual(['program']);
    // An internal user whose id nobody has in managed/user goes by that, as other servers have it.
    const body = { receiverId: 'clerk', message: 'm', createDate: '2026-01-01T00:00:00Z' };
    await api('POST', 'repo/ui/notification', { body });
    expect(await shownTo('internal/user', 'clerk')).toEqual(['m']);
  });

  it('usernotifications shows nobody those of an internal user whose name they were given for an id', async () => {
    const receiverId = 'svc-admin';
    const createDate = '2026-01-01T00:00:00.000Z';
    const note = await api('POST', 'repo/ui/notification', {
      body: { receiverId, createDate, message: 'm' },
    });
    const person = {
      userName: 'nia',
      givenName: 'Per',
      sn: 'Son',
      mail: 'nia@example.com',
      password: PASSWORD,
    };
    await api('PUT', `managed/user/${receiverId}`, { body: person });
    expect((await as('nia', 'GET', 'endpoint/usernotifications')).body).toEqual({ notifications: [] });
    expect((await as('nia', 'DELETE', `endpoint/usernotifications/${note.body._id}`)).status).toBe(404);
    await api('DELETE', `managed/user/${receiverId}`);
    const { notifications } = (await api('GET', 'endpoint/usernotifications')).body;
    expect(notifications).toMatchObject([{ _id: note.body._id }]);
    await api('DELETE', `repo/ui/notification/${note.body._id}`);
  });

  it('usernotifications shows the newest thousand', async () => {
    await server.database.pool.query(
      `insert into repo_object (type, id, data)
       select 'ui/notification', 'n' || n,
              jsonb_build_object('receiverId', 'bob-id', 'createDate', to_char(n, 'FM0000'), 'message', 'm')
       from generate_series(1, 1100) n`,
    );
    const { notifications } = (await as('bob', 'GET', 'endpoint/usernotifications')).body;
    expect(notifications).toHaveLength(1_000);
    expect(notifications.map(({ _id }: { _id: string }) => _id)).not.toContain('n1');
    // Few are left, since a script has its time.
    await server.database.pool.query(
      "delete from repo_object where type = 'ui/notification' and id ~ '^n[0-9]{3,}$'",
    );
    const source =
      "require('ui/notifications').removeAllFor('bob-id'); require('ui/notifications').listFor('bob-id').length";
    const removed = await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });
    expect(removed.body).toBe(0);
  });

  it('linkedView shows an object that nothing is linked to', async () => {
    const { body } = await api('GET', 'endpoint/linkedView/managed/user/ann-id');
    expect(body).toMatchObject({ _id: 'ann-id', userName: 'ann', linkedTo: [] });
    expect((await api('GET', 'endpoint/linkedView/managed/user/none')).status).toBe(404);
  });

  it('linkedView shows nothing that is private, and no other resources', async () => {
    const { body } = await api('GET', 'endpoint/linkedView/managed/user/ann-id');
    expect([body.userName, 'password' in body]).toEqual(['ann', false]);
    for (const path of [
      'repo/managed/user/ann-id',
      'config/authentication',
      'repo/internal/user/svc-admin',
    ]) {
      expect((await api('GET', `endpoint/linkedView/${path}`)).status).toBe(404);
    }
  });
});
