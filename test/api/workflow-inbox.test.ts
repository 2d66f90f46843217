import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { waysOf } from '../support/ways-of.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, extension, path, start, user } from '../unit/workflow/engine/bpmn.ts';

const PASSWORD = 'Passw0rd-of-users';
const $ = (expression: string) => `\${${expression}}`;
const review = processFile(
  'review',
  start() +
    user(
      'look',
      {
        name: `Look at ${$('what')}`,
        'flowable:candidateUsers': 'cid',
        'flowable:candidateGroups': 'reviewer',
        'flowable:dueDate': $('due'),
      },
      extension('<flowable:formProperty id="verdict" name="Verdict" type="string" required="true"/>'),
    ) +
    end() +
    path('s', 'look', 'e'),
  { name: 'Review' },
);
const ask = processFile(
  'ask',
  start(
    's',
    extension(
      '<flowable:formProperty id="role" name="Role" type="string"/>' +
        '<flowable:formProperty id="hidden" type="string" readable="false"/>',
    ),
  ) +
    user('approve', { name: `Approve ${$('role')}`, 'flowable:assignee': 'ann' }) +
    end() +
    path('s', 'approve', 'e'),
  { name: 'Ask' },
);
const offer = processFile(
  'offer',
  start() + user('take', { 'flowable:candidateUsers': 'nell' }) + end() + path('s', 'take', 'e'),
);
const own = processFile(
  'own',
  start() + user('mine', { 'flowable:assignee': 'ann' }) + end() + path('s', 'mine', 'e'),
);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
const as = (name: string | null, method: string, to: string, body?: unknown) =>
  api(method, to, {
    user: name,
    ...(name === null ? {} : { password: name === 'anonymous' ? 'anonymous' : PASSWORD }),
    ...(body === undefined ? {} : { body }),
  });
const inbox = async (name: string, kind: string, more = '') => {
  const { status, body } = await as(name, 'GET', `workflow/taskinstance?_queryId=${kind}${more}`);
  expect([status, body.message]).toEqual([200, undefined]);
  return body;
};
const names = (page: { result: { name: string }[] }) => page.result.map(({ name }) => name);
const count = async (name: string) =>
  (await as(name, 'POST', 'workflow/taskinstance?_action=count')).body as object;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8'),
      'workflow/review.bpmn20.xml': review,
      'workflow/own.bpmn20.xml': own,
      'workflow/offer.bpmn20.xml': offer,
      'workflow/ask.bpmn20.xml': ask,
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
  await api('PUT', 'managed/role/reviewer', { body: { name: 'reviewer', description: 'Looks at it' } });
  const authorized = { _ref: 'repo/internal/role/svc-authorized' };
  for (const [userName, roles] of [
    ['ann', [authorized, { _ref: 'managed/role/reviewer' }]],
    ['bob', [authorized, { _ref: 'managed/role/reviewer' }]],
    ['cid', [authorized]],
    ['dot', [authorized]],
  ] as const) {
    const person = { userName, givenName: userName, sn: 'Test', mail: `${userName}@example.com` };
    const made = await api('PUT', `managed/user/${userName}-id`, {
      body: { ...person, password: PASSWORD, authzRoles: roles },
    });
    expect(made.status).toBe(201);
  }
  for (const [what, due] of [
    ['never', null],
    ['late', '2020-01-01T00:00:00Z'],
    ['soon', '2999-01-01T00:00:00Z'],
    ['later', '2999-06-01T00:00:00Z'],
    ['whenever', null],
  ]) {
    await workflow.start('review', { what, due, _businessKey: `key-${what}`, secret: 'for nobody' });
  }
  await workflow.start('own');
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('the tasks of whoever asks', () => {
  it('are those that the own name or roles could take, due ones first, with process and form', async () => {
    const page = await inbox('bob', 'claimable');
    expect(names(page)).toEqual([
      'Look at late',
      'Look at soon',
      'Look at later',
      'Look at never',
      'Look at whenever',
    ]);
    expect(page.result[0]).toMatchObject({
      assignee: null,
      processName: 'Review',
      processDefinitionKey: 'review',
      businessKey: 'key-late',
      startUserId: 'svc-admin',
      dueDate: '2020-01-01T00:00:00.000Z',
      form: {
        order: ['verdict'],
        properties: { verdict: { title: 'Verdict', type: 'string', required: true } },
      },
    });
    expect(JSON.stringify(page)).not.toContain('for nobody');
    expect(names(await inbox('cid', 'claimable'))).toHaveLength(5);
    expect(names(await inbox('dot', 'claimable'))).toEqual([]);
    expect(names(await inbox('ann', 'mine'))).toEqual(['mine']);
    expect(names(await inbox('bob', 'mine'))).toEqual([]);
  });

  it('come page by page, each task once, and are counted when that is asked for', async () => {
    const found: string[] = [];
    let cookie = '';
    do {
      const page = await inbox('bob', 'claimable', `&_pageSize=2&_totalPagedResultsPolicy=EXACT${cookie}`);
      expect([page.totalPagedResults, page.result.length <= 2]).toEqual([5, true]);
      found.push(...names(page));
      cookie =
        page.pagedResultsCookie === null
          ? ''
          : `&_pagedResultsCookie=${encodeURIComponent(page.pagedResultsCookie)}`;
    } while (cookie !== '');
    expect(found.map((name) => name.slice('Look at '.length))).toEqual([
      'late',
      'soon',
      'later',
      'never',
      'whenever',
    ]);
  });

  it('are filtered by when they are due and by their process', async () => {
    expect(names(await inbox('bob', 'claimable', '&dueBefore=2026-01-01T00:00:00Z'))).toEqual([
      'Look at late',
    ]);
    const between = '&dueAfter=2999-01-01T00:00:00Z&dueBefore=2999-02-01T00:00:00Z';
    expect(names(await inbox('bob', 'claimable', between))).toEqual(['Look at soon']);
    expect(names(await inbox('bob', 'claimable', '&processDefinitionKey=own'))).toEqual([]);
  });

  it('cost as many ways to the database for five tasks as for one', async () => {
    /** What the node does by itself meanwhile only adds to it. */
    const ways = async (pageSize: number) => {
      const ask = () => inbox('bob', 'claimable', `&_pageSize=${pageSize}`);
      const all = [];
      for (let n = 0; n < 5; n++) all.push(await waysOf(server.database, ask));
      return Math.min(...all);
    };
    await ways(5);
    expect(await ways(5)).toBe(await ways(1));
  });

  it('are claimed, seen by the others of the role, counted, and put back', async () => {
    const [late] = (await inbox('ann', 'claimable')).result;
    const at = `workflow/taskinstance/${late._id}`;
    expect(await count('ann')).toEqual({ mine: 1, claimable: 5, overdue: 0 });
    expect((await as('ann', 'POST', `${at}?_action=claim`, { userId: 'ann' })).status).toBe(200);
    expect(await count('ann')).toEqual({ mine: 2, claimable: 4, overdue: 1 });
    expect(names(await inbox('ann', 'mine'))).toEqual(['Look at late', 'mine']);
    expect((await inbox('bob', 'team')).result).toMatchObject([{ name: 'Look at late', assignee: 'ann' }]);
    expect([names(await inbox('ann', 'team')), names(await inbox('dot', 'team'))]).toEqual([[], []]);

    const refused = await as('bob', 'POST', `${at}?_action=unclaim`);
    expect([refused.status, refused.body.detail.id]).toEqual([403, 'ACCESS_DENIED']);
    expect((await as('ann', 'POST', `${at}?_action=unclaim`)).status).toBe(200);
    expect(await count('ann')).toEqual({ mine: 1, claimable: 5, overdue: 0 });
    expect(names(await inbox('bob', 'team'))).toEqual([]);
    const again = await api('POST', `${at}?_action=unclaim`);
    expect([again.status, again.body.detail.id]).toEqual([409, 'WORKFLOW_TASK_NOT_CLAIMED']);
  });

  it('are not put back where nobody else could take them', async () => {
    const [task] = (await inbox('ann', 'mine')).result;
    const { status, body } = await as('ann', 'POST', `workflow/taskinstance/${task._id}?_action=unclaim`);
    expect([status, body.detail.id]).toEqual([409, 'WORKFLOW_TASK_NOT_OFFERED']);
    expect(names(await inbox('ann', 'mine'))).toEqual(['mine']);
  });

  it('are the administrator’s own, too', async () => {
    const { body } = await api('GET', 'workflow/taskinstance?_queryId=mine');
    expect(body.result).toEqual([]);
    expect((await api('POST', 'workflow/taskinstance?_action=count')).body).toMatchObject({ mine: 0 });
  });

  it('are not asked for by nobody, and other queries are not granted by these', async () => {
    for (const name of ['anonymous', null]) {
      const status = name === null ? 401 : 403;
      expect((await as(name, 'GET', 'workflow/taskinstance?_queryId=mine')).status).toBe(status);
      expect((await as(name, 'POST', 'workflow/taskinstance?_action=count')).status).toBe(status);
    }
    for (const query of ['_queryId=query-all-ids', '_queryId=filtered-query&assignee=ann', '_queryId=Mine']) {
      expect((await as('bob', 'GET', `workflow/taskinstance?${query}`)).status).toBe(403);
    }
  });

  it.each([
    ['dueBefore=tomorrow', 'WORKFLOW_BAD_PARAMETER'],
    ['_sortKeys=name', 'WORKFLOW_BAD_SORT_KEY'],
    ['_pageSize=2&_pagedResultsOffset=2', 'WORKFLOW_BAD_PARAMETER'],
    ['_pageSize=2&_pagedResultsCookie=4', 'PAGING_BAD_COOKIE'],
    ['_pageSize=2&_pagedResultsCookie=bm90aGluZw', 'PAGING_BAD_COOKIE'],
  ])('are refused with a reason where %s asks for what there is not', async (parameters, id) => {
    const { status, body } = await as('bob', 'GET', `workflow/taskinstance?_queryId=claimable&${parameters}`);
    expect([status, body.detail.id]).toEqual([400, id]);
  });
});

describe('what somebody asks for', () => {
  const asks = async (name: string, role: string) => {
    const body = { _key: 'ask', role, hidden: 'not shown' };
    const made = await as(name, 'POST', 'workflow/processinstance', body);
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    return made.body._id as string;
  };
  const requests = async (name: string, more = '') =>
    (await as(name, 'GET', `endpoint/myrequests?_queryFilter=true${more}`)).body;

  it('is told to its asker alone: what was asked, what it waits for, and how it ended', async () => {
    const first = await asks('dot', 'auditor');
    const second = await asks('dot', 'clerk');
    await workflow.completeAt(first, 'approve');
    await server.database.pool.query(
      "insert into workflow_variable (instance_id, scope, name, type, value) values ($1, 0, 'inner', 'string', '\"private\"')",
      [second],
    );
    const { result } = await requests('dot');
    expect(result).toMatchObject([
      {
        _id: second,
        processName: 'Ask',
        state: 'running',
        endTime: null,
        asked: [{ id: 'role', title: 'Role', value: 'clerk' }],
        waitsFor: [{ name: 'Approve clerk', since: expect.any(String), dueDate: null }],
      },
      { _id: first, state: 'ended', endTime: expect.any(String), waitsFor: [] },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/not shown|private/);
    expect((await requests('bob')).result).toEqual([]);
    await api('DELETE', `workflow/processinstance/${second}`);
    expect((await requests('dot')).result[0]).toMatchObject({ _id: second, state: 'cancelled' });
  });

  it('comes page by page', async () => {
    await asks('cid', 'one');
    await asks('cid', 'two');
    const page = await requests('cid', '&_pageSize=1');
    const cookie = encodeURIComponent(page.pagedResultsCookie);
    const next = await requests('cid', `&_pageSize=1&_pagedResultsCookie=${cookie}`);
    const values = [page, next].map(({ result }) => result[0].asked[0].value);
    expect([values, next.pagedResultsCookie]).toEqual([['two', 'one'], null]);
  });

  it('is one of the roles that are requestable, of which nothing but name and description is told', async () => {
    const description = 'May be asked for';
    await api('PUT', 'managed/role/auditor', { body: { name: 'auditor', description, requestable: true } });
    await api('PUT', 'managed/role/secret', { body: { name: 'secret', description } });
    const roles = [{ _ref: 'managed/role/auditor' }];
    await api('PATCH', 'managed/user/ann-id', {
      body: [{ operation: 'add', field: '/roles/-', value: roles[0] }],
    });
    const asked = async (name: string | null) => as(name, 'GET', 'endpoint/requestables?_queryFilter=true');
    expect((await asked('dot')).body.result).toEqual([
      { _id: 'auditor', name: 'auditor', description, held: false },
    ]);
    expect((await asked('ann')).body.result).toMatchObject([{ _id: 'auditor', held: true }]);
    expect((await api('GET', 'endpoint/requestables?_queryFilter=true')).body.result).toHaveLength(1);
    expect([(await asked('anonymous')).status, (await asked(null)).status]).toEqual([403, 401]);
  });

  it('is not told to nobody', async () => {
    for (const name of ['anonymous', null]) {
      const { status } = await as(name, 'GET', 'endpoint/myrequests?_queryFilter=true');
      expect(status).toBe(name === null ? 401 : 403);
    }
    expect((await api('GET', 'endpoint/myrequests?_queryFilter=true')).status).toBe(200);
  });
});

describe('whoever comes later under the name of somebody who is gone', () => {
  const create = async (id: string, userName: string) => {
    const person = { userName, givenName: 'Per', sn: 'Son', mail: 'nell@example.com', password: PASSWORD };
    return (await api('PUT', `managed/user/${id}`, { body: person })).status;
  };
  const taskOf = async (key: string) => {
    const { body } = await api(
      'GET',
      `workflow/taskinstance?_queryId=filtered-query&processDefinitionKey=${key}`,
    );
    return `workflow/taskinstance/${body.result.at(-1)._id}`;
  };

  it('has none of their tasks, and has asked for nothing', async () => {
    expect(await create('nell-id', 'nell')).toBe(201);
    await workflow.start('own');
    await workflow.start('offer');
    const [task, offered] = [await taskOf('own'), await taskOf('offer')];
    expect((await api('PUT', task, { body: { assignee: 'nell' } })).status).toBe(200);
    const begun = { _key: 'ask', role: 'auditor' };
    expect((await as('nell', 'POST', 'workflow/processinstance', begun)).status).toBe(201);
    expect(await count('nell')).toEqual({ mine: 1, claimable: 1, overdue: 0 });
    expect((await api('DELETE', 'managed/user/nell-id')).status).toBe(200);
    expect((await api('GET', task)).body.assignee).toBe('managed/user/nell-id (deleted)');
    expect(await create('other-id', 'nell')).toBe(201);
    expect(await count('nell')).toEqual({ mine: 0, claimable: 0, overdue: 0 });
    for (const path of [task, offered]) expect((await as('nell', 'GET', path)).status).toBe(403);
    expect((await as('nell', 'POST', `${task}?_action=complete`, {})).status).toBe(403);
    const asked = await as('nell', 'GET', 'endpoint/myrequests?_queryFilter=true');
    expect(asked.body.result).toEqual([]);
    // Nobody is called as that which stands in the place of the name.
    expect(await create('third-id', 'managed/user/nell-id (deleted)')).toBe(403);
    expect((await api('PUT', task, { body: { assignee: 'nell' } })).status).toBe(200);
    expect(await count('nell')).toMatchObject({ mine: 1 });
  });
});
