import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';

const PASSWORD = 'Passw0rd-of-users';
let server: TestServer;
let api: Api;

/** What each part of a chain does: a note of its own, and then the next part. */
const note = (name: string, next: string) => `svc.create('repo/note', null, { by: '${name}' }); ${next};`;
const script = (source: string) => ({ type: 'text/javascript', source });
const shipped = JSON.parse(readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8'));
const thing = {
  name: 'thing',
  schema: { properties: { at: { type: 'string' } } },
  postCreate: script(note('hook', "svc.read('endpoint/link')")),
};

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/managed.json': { objects: [...shipped.objects, thing] },
      'conf/endpoint-link.json': script(
        note('endpoint', "svc.create('workflow/processinstance', null, { _key: 'chain' })"),
      ),
      'workflow/chain.bpmn20.xml': processFile(
        'chain',
        `<startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="w"/>
         <scriptTask id="w" scriptFormat="javascript" flowable:async="true"><script>${note('job', '')}</script></scriptTask>
         <sequenceFlow id="b" sourceRef="w" targetRef="l"/>
         <scriptTask id="l" scriptFormat="javascript" flowable:async="true"><script>${note('later job', '')}</script></scriptTask>
         <sequenceFlow id="c" sourceRef="l" targetRef="e"/><endEvent id="e"/>`,
      ),
      'conf/audit.json': {
        eventTopics: { activity: { watchedFields: ['/mail'], passwordFields: ['/password'] } },
      },
    },
    environment: { SVC_TRUST_TRANSACTION_ID: 'true' },
  });
  api = server.api;
});
afterAll(() => server?.[Symbol.asyncDispose]());

const user = (name: string) => ({
  userName: name,
  password: PASSWORD,
  givenName: 'Ada',
  sn: 'Nagy',
  mail: `${name}@example.com`,
});
const entries = async (topic: string, filter: string) =>
  (await api('GET', `audit/${topic}?_queryFilter=${encodeURIComponent(filter)}`)).body.result;
/** Requests and logins are recorded a moment after them. */
const soon = (topic: string, filter: string) => expect.poll(() => entries(topic, filter), { interval: 50 });

describe('the activity audit', () => {
  it('holds each change with what was before and after, and shows no secret', async () => {
    await api('PUT', 'managed/user/u1', { body: user('u1') });
    await api('PATCH', 'managed/user/u1', {
      body: [
        { operation: 'replace', field: '/mail', value: 'new@example.com' },
        { operation: 'replace', field: '/password', value: 'Another-Passw0rd' },
      ],
    });
    await api('DELETE', 'managed/user/u1');
    const [created, updated, deleted, ...rest] = await entries('activity', 'objectId eq "managed/user/u1"');
    expect(rest).toEqual([]);
    expect(created).toMatchObject({
      eventName: 'activity',
      userId: 'svc-admin',
      runAs: 'svc-admin',
      operation: 'CREATE',
      before: null,
      after: { userName: 'u1', password: '***' },
      status: 'SUCCESS',
      trackingIds: [],
    });
    expect(updated).toMatchObject({
      operation: 'PATCH',
      before: { mail: 'u1@example.com', password: '***' },
      after: { mail: 'new@example.com', password: '***' },
      passwordChanged: true,
      watchedFieldsChanged: ['/mail'],
    });
    expect(updated.changedFields).toEqual(expect.arrayContaining(['/mail', '/password']));
    expect(deleted).toMatchObject({ operation: 'DELETE', after: null, passwordChanged: false });
    expect(JSON.stringify([created, updated, deleted])).not.toMatch(/\$crypto|argon2|Passw0rd/);
    expect(Date.parse(created.timestamp)).toBeLessThanOrEqual(Date.parse(deleted.timestamp));
  });

  it('has nothing of what failed or was rehearsed', async () => {
    await api('PUT', 'managed/user/u2?_dryRun=true', { body: user('u2') });
    await api('PUT', 'managed/user/u2', { body: { ...user('u2'), mail: 'no address' } });
    expect(await entries('activity', 'objectId eq "managed/user/u2"')).toEqual([]);
  });

  it('gives everything that one request causes the id of that request', async () => {
    const source = `
      svc.create('managed/user', 'u3', request.user);
      svc.patch('managed/user/u3', null, [{ operation: 'replace', field: 'mail', value: 'u3b@example.com' }]);
      try { svc.create('managed/user', 'u3', request.user) } catch (e) {}`;
    const { status, headers } = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source, request: { user: user('u3') } },
    });
    expect(status).toBe(200);
    const id = headers.get('X-Request-Id');
    const found = await entries('activity', `transactionId sw "${id}" and objectId eq "managed/user/u3"`);
    expect(found).toMatchObject([
      { operation: 'CREATE', transactionId: `${id}/0` },
      { operation: 'PATCH', transactionId: `${id}/1` },
    ]);
    await soon('access', `transactionId eq "${id}"`).toMatchObject([{ request: { operation: 'ACTION' } }]);
  });

  it('takes over the id under which a server in front has passed the request on', async () => {
    const asked = async (name: string, given: string) => {
      const { headers } = await api('PUT', `managed/thing/${name}`, {
        headers: { 'X-Svc-TransactionId': given },
        body: {},
      });
      return headers.get('X-Request-Id');
    };
    expect(await asked('passed', 'front-7/3')).toBe('front-7/3');
    const idOf = async (filter: string) =>
      (await entries('activity', `transactionId sw "front-7/3" and ${filter}`))[0].transactionId;
    expect(await idOf('objectId eq "managed/thing/passed"')).toBe('front-7/3');
    expect(await idOf('after/by eq "hook"')).toBe('front-7/3/0');
    expect(await idOf('after/by eq "endpoint"')).toBe('front-7/3/1/0');
    expect(await asked('made-up', "' or 1=1")).toMatch(/^[\da-f-]{36}$/);
  });

  describe('goes on under one id through hooks, endpoints and jobs of processes', () => {
    const notes = (id: string) =>
      soon('activity', `transactionId sw "${id}/" and objectId sw "repo/note"`).toMatchObject(
        ['hook', 'endpoint', 'job', 'later job'].map((by) => ({ after: { by }, userId: expect.any(String) })),
      );

    it('that a request has caused', async () => {
      const { status, headers, body } = await api('POST', 'managed/thing', { body: {} });
      expect(status, JSON.stringify(body)).toBe(201);
      await notes(headers.get('X-Request-Id')!);
      const [{ userId }] = await entries('activity', `after/by eq "later job"`);
      expect(userId).toBe('svc-admin');
    });

    it('that a scheduled run has caused', async () => {
      const invokeContext = { script: script("svc.create('managed/thing', null, {})") };
      await api('PUT', 'scheduler/job/chained', {
        body: { type: 'simple', invokeService: 'script', invokeContext },
      });
      const { headers } = await api('POST', 'scheduler/job/chained?_action=trigger');
      await soon(
        'access',
        'objectId eq "scheduler/job/chained" and request/operation eq "ScheduledTask"',
      ).toHaveLength(1);
      const [run] = await entries(
        'access',
        'objectId eq "scheduler/job/chained" and request/operation eq "ScheduledTask"',
      );
      expect(run.transactionId).toBe(headers.get('X-Request-Id'));
      await notes(run.transactionId);
    });

    it('that a scan has caused, whose request was answered long before', async () => {
      await api('PUT', 'managed/user/scanned', { body: user('scanned') });
      const definition = {
        scan: {
          object: 'managed/user',
          _queryFilter: 'userName eq "scanned"',
          taskState: { started: '/city', completed: '/country' },
        },
        task: { script: script("svc.create('repo/note', null, { by: 'scan' }); true") },
      };
      const { status, headers, body } = await api('POST', 'taskscanner?_action=execute', {
        body: definition,
      });
      expect(status, JSON.stringify(body)).toBe(200);
      const id = headers.get('X-Request-Id');
      await soon('activity', `transactionId sw "${id}/" and objectId sw "repo/note"`).toMatchObject([
        { after: { by: 'scan' }, userId: 'svc-admin' },
      ]);
    });
  });

  it('says who it was', async () => {
    await api('PUT', 'managed/user/ada', { body: user('ada') });
    const body = [{ operation: 'replace', field: '/givenName', value: 'Augusta' }];
    await api('PATCH', 'managed/user/ada', { user: 'ada', password: PASSWORD, body });
    expect(await entries('activity', 'userId eq "ada"')).toMatchObject([
      { objectId: 'managed/user/ada', operation: 'PATCH', changedFields: ['/givenName'] },
    ]);
  });
});

describe('the access audit', () => {
  it('holds requests that change or look for something, and all that failed', async () => {
    await api('GET', 'managed/user/ada');
    await api('GET', 'managed/user?_queryFilter=userName%20eq%20%22ada%22&_pageSize=9&pin=1234', {
      headers: { 'User-Agent': 'test', Cookie: 'pin=1234; session-jwt=x' },
    });
    await api('GET', 'managed/user/nobody');
    await soon(
      'access',
      'objectId co "managed/user" and userId eq "svc-admin" and request/operation eq "QUERY"',
    ).toMatchObject([
      {
        objectId: 'managed/user',
        server: { ip: expect.stringContaining('127.0.0.1'), port: Number(new URL(server.url).port) },
        client: { ip: '127.0.0.1', port: expect.any(Number) },
        request: { protocol: 'CREST', detail: null },
        http: {
          request: {
            method: 'GET',
            secure: false,
            path: '/svc/managed/user',
            queryParameters: { _queryFilter: ['userName eq "***"'], _pageSize: ['9'], pin: ['***'] },
            headers: { 'user-agent': ['test'], 'x-svc-username': ['svc-admin'] },
            cookies: { pin: '***', 'session-jwt': '***' },
          },
          response: { headers: { 'content-type': ['application/json;charset=UTF-8'] } },
        },
        response: { status: 'SUCCESSFUL', elapsedTimeUnits: 'MILLISECONDS' },
        roles: ['svc-admin', 'svc-authorized'],
      },
    ]);
    await soon('access', 'objectId eq "managed/user/nobody"').toMatchObject([
      { response: { status: 'FAILED', statusCode: '404', detail: { code: 404, reason: 'Not Found' } } },
    ]);
    expect(await entries('access', 'objectId eq "managed/user/ada" and request/operation eq "READ"')).toEqual(
      [],
    );
  });

  it.each([
    ['pin eq 1234 and !(code in [56, 78])', 'pin eq *** and !(code in [***])'],
    ['pin eq "12 34" or amount gt 1.5e3', 'pin eq "***" or amount gt ***'],
    ['pin eq hunter', '***'],
  ])('shows of the filter %s what it looks at, and nothing of what it looks for', async (filter, shown) => {
    const path = `managed/filtered-${shown.length}`;
    await api('POST', `${path}?_action=count&_queryFilter=${encodeURIComponent(filter)}`);
    await soon('access', `objectId eq "${path}"`).toMatchObject([
      { http: { request: { queryParameters: { _queryFilter: [shown] } } } },
    ]);
  });

  it('holds what was refused', async () => {
    await api('GET', 'config/managed', { user: 'ada', password: PASSWORD });
    await soon('access', 'userId eq "ada" and objectId eq "config/managed"').toMatchObject([
      { response: { status: 'FAILED', statusCode: '403' } },
    ]);
  });

  it('holds scheduled runs, each with all that it did as one transaction', async () => {
    const source =
      "svc.patch('managed/user/ada', null, [{operation: 'replace', field: '/telephoneNumber', value: '1'}])";
    const invokeContext = { script: { type: 'text/javascript', source } };
    await api('PUT', 'scheduler/job/once', {
      body: { type: 'simple', invokeService: 'script', invokeContext },
    });
    await api('POST', 'scheduler/job/once?_action=trigger');
    await soon('access', 'userId sw "Scheduled once"').toContainEqual(
      expect.objectContaining({
        request: {
          protocol: 'CREST',
          operation: 'ScheduledTask',
          detail: { taskName: 'scheduler-service-group.once', firing: expect.any(String) },
        },
      }),
    );
    const [run] = await entries('access', 'userId sw "Scheduled once"');
    const byRun = `transactionId sw "${run.transactionId}/" and userId eq "${run.userId}"`;
    const ofRun = await entries('activity', byRun);
    expect(ofRun).toMatchObject([{ userId: run.userId, objectId: 'managed/user/ada', operation: 'PATCH' }]);
    expect((await api('GET', `scheduler/firing/${run.request.detail.firing}`)).body.schedule).toBe('once');

    const wrong = { script: { type: 'text/javascript', source: "throw new Error('on purpose')" } };
    await api('PUT', 'scheduler/job/wrong', {
      body: { type: 'simple', invokeService: 'script', invokeContext: wrong },
    });
    await api('POST', 'scheduler/job/wrong?_action=trigger');
    await soon('access', 'userId sw "Scheduled wrong"').not.toEqual([]);
    const [failed] = await entries('access', 'userId sw "Scheduled wrong"');
    expect(failed.response).toEqual({
      status: 'FAILED',
      elapsedTime: expect.any(Number),
      elapsedTimeUnits: 'MILLISECONDS',
      detail: { code: 500, reason: 'Internal Server Error', message: expect.stringMatching(/on purpose/) },
    });
  });
});

describe('the other topics', () => {
  it('hold logins, right and wrong', async () => {
    await api('GET', 'info/ping', { user: 'ada', password: 'guess' });
    await soon('authentication', 'result eq "FAILED"').toMatchObject([
      { userId: 'ada', principal: ['ada'], context: { ipAddress: '127.0.0.1' } },
    ]);
    await soon('authentication', 'result eq "SUCCESSFUL" and userId eq "ada"').toMatchObject([
      { entries: [{ moduleId: 'MANAGED_USER', result: 'SUCCESSFUL' }] },
    ]);
  });

  it('lose nothing to a name that the database cannot hold', async () => {
    for (const name of ['nul\0', 'half\ud800']) {
      const given = Buffer.from(`${name}:guess`).toString('base64');
      const { status } = await api('GET', 'info/ping', {
        user: null,
        headers: { Authorization: `Basic ${given}` },
      });
      expect(status).toBe(401);
    }
    await api('GET', 'info/ping', { user: 'after', password: 'guess' });
    await soon('authentication', 'userId eq "nul\ufffd" or userId eq "after"').toHaveLength(2);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^svc_audit_lost 0$/m);
  });

  it('hold changes of the configuration', async () => {
    await api('PUT', 'config/endpoint/pong', { body: { type: 'text/javascript', source: '"pong"' } });
    expect(await entries('config', 'objectId eq "endpoint/pong"')).toMatchObject([
      {
        eventName: 'CONFIG',
        operation: 'CREATE',
        userId: 'svc-admin',
        before: null,
        after: { source: '"pong"' },
      },
    ]);
  });

  it('hold what becomes of the audit itself, which nobody switches off unseen', async () => {
    const shown = (await api('GET', 'config/audit')).body;
    const off = {
      ...shown,
      eventTopics: {
        ...shown.eventTopics,
        activity: { enabled: false, passwordFields: ['/eventTopics'] },
        config: { enabled: false },
      },
    };
    expect((await api('PUT', 'config/audit', { body: off })).status).toBe(200);
    await api('PUT', 'managed/user/unseen', { body: user('unseen') });
    await api('PUT', 'config/endpoint/quiet', { body: { type: 'text/javascript', source: '"quiet"' } });
    expect((await api('PUT', 'config/audit', { body: shown })).status).toBe(200);
    expect(await entries('activity', 'objectId eq "managed/user/unseen"')).toEqual([]);
    expect(await entries('config', 'objectId eq "audit" or objectId eq "endpoint/quiet"')).toMatchObject([
      { objectId: 'audit', userId: 'svc-admin', after: { eventTopics: { activity: { enabled: false } } } },
      { objectId: 'endpoint/quiet', operation: 'CREATE' },
      {
        objectId: 'audit',
        before: { eventTopics: { activity: { enabled: false } } },
        after: { eventTopics: shown.eventTopics },
      },
    ]);
  });

  it('take entries of others, as from who wrote them', async () => {
    const { status, body } = await api('POST', 'audit/sync', {
      body: { mapping: 'm', situation: 'FOUND', userId: 'mallory', timestamp: '2001-01-01T00:00:00Z' },
    });
    expect([status, body.userId, body.mapping]).toEqual([201, 'svc-admin', 'm']);
    expect((await api('GET', `audit/sync/${body._id}`)).body).toMatchObject({
      situation: 'FOUND',
      userId: 'svc-admin',
    });
  });

  it('let no entry of others pass for one of the server', async () => {
    const forged = {
      ...{
        _id: 'x',
        timestamp: '2001-01-01T00:00:00.000Z',
        eventName: 'access',
        transactionId: 'x',
        userId: 'mallory',
      },
      ...{
        trackingIds: ['x'],
        handMade: false,
        node: 'x',
        recordedBy: 'x',
        runAs: 'mallory',
        signature: 'x',
      },
      ...{ result: 'SUCCESSFUL', principal: ['mallory'], objectId: 'managed/user/mallory' },
      secret: { $crypto: { type: 'x-simple-encryption', value: {} } },
    };
    const { status, headers, body } = await api('POST', 'audit/authentication', { body: forged });
    expect(status).toBe(201);
    const shown = (await api('GET', `audit/authentication/${body._id}`)).body;
    expect(shown).toEqual({
      _id: body._id,
      timestamp: expect.not.stringMatching(/^2001/),
      eventName: 'authentication',
      transactionId: headers.get('X-Request-Id'),
      userId: 'svc-admin',
      objectId: 'managed/user/mallory',
      trackingIds: [],
      handMade: true,
      result: 'SUCCESSFUL',
      principal: ['mallory'],
      secret: '***',
    });
    const { rows } = await server.database.pool.query(
      'select hand_made, count(*)::int > 0 as some from svc_audit group by 1 order by 1',
    );
    expect(rows).toEqual([
      { hand_made: false, some: true },
      { hand_made: true, some: true },
    ]);
    await soon('access', `transactionId eq "${headers.get('X-Request-Id')}"`).toMatchObject([
      { objectId: 'audit/authentication', userId: 'svc-admin', request: { operation: 'CREATE' } },
    ]);
    expect(
      (await api('POST', 'audit/authentication', { user: 'ada', password: PASSWORD, body: forged })).status,
    ).toBe(403);
  });
});

describe('the audit trail', () => {
  const COMMON = ['_id', 'eventName', 'timestamp', 'trackingIds', 'transactionId', 'userId'];
  it.each([
    [
      'access',
      ['client', 'http', 'objectId', 'request', 'response', 'roles', 'server'],
      'server pr and http pr',
    ],
    [
      'activity',
      'after before changedFields message objectId operation passwordChanged revision runAs status watchedFieldsChanged'.split(
        ' ',
      ),
      'operation eq "CREATE" and objectId sw "managed/user"',
    ],
    ['authentication', ['context', 'entries', 'principal', 'result'], 'true'],
    ['config', ['after', 'before', 'changedFields', 'objectId', 'operation', 'revision', 'runAs'], 'true'],
  ])('shows an entry of %s with all its fields', async (topic, fields, filter) => {
    const [found] = await entries(topic, filter);
    const { status, body } = await api('GET', `audit/${topic}/${found._id}`);
    expect([status, body._id]).toEqual([200, found._id]);
    const shown = Object.keys(body).filter((name) => name !== '_rev');
    expect(shown.sort()).toEqual([...COMMON, ...fields].sort());
  });

  it('cannot be changed', async () => {
    const [{ _id }] = await entries('activity', 'objectId eq "managed/user/ada" and operation eq "CREATE"');
    for (const [method, body] of [
      ['PUT', {}],
      ['PATCH', [{ operation: 'remove', field: '/userId' }]],
      ['DELETE', undefined],
    ] as const) {
      expect([400, 501]).toContain((await api(method, `audit/activity/${_id}`, { body })).status);
    }
    expect((await api('PUT', 'audit/activity/new', { body: {} })).status).not.toBe(201);
  });

  it('is read page by page', async () => {
    const first = (
      await api('GET', 'audit/activity?_queryFilter=true&_pageSize=2&_totalPagedResultsPolicy=EXACT')
    ).body;
    expect([first.result.length, first.totalPagedResults > 2]).toEqual([2, true]);
    const next = (
      await api(
        'GET',
        `audit/activity?_queryFilter=true&_pageSize=2&_pagedResultsCookie=${encodeURIComponent(first.pagedResultsCookie)}`,
      )
    ).body;
    expect(next.result[0]._id > first.result[1]._id).toBe(true);
  });

  it('tells which watched fields two states differ in', async () => {
    const body = { before: { mail: 'a', password: 'x' }, after: { mail: 'b', password: 'x' } };
    expect((await api('POST', 'audit?_action=getChangedWatchedFields', { body })).body).toEqual(['/mail']);
    expect((await api('POST', 'audit?_action=getChangedPasswordFields', { body })).body).toEqual([]);
    expect((await api('POST', 'audit?_action=nonsense')).status).toBe(400);
  });

  it('has the topics that it has', async () => {
    const { status, body } = await api('GET', 'audit/activities?_queryFilter=true');
    expect([status, body.detail.hint]).toEqual([404, "Did you mean 'activity'?"]);
  });

  it('is for administrators', async () => {
    expect(
      (await api('GET', 'audit/activity?_queryFilter=true', { user: 'ada', password: PASSWORD })).status,
    ).toBe(403);
  });
});
