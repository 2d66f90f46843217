import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStatements } from '../support/count-statements.ts';
import { type HeardEvent, listenTo } from '../support/event-listener.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';
/** A script that makes roles in one unit of work. @returns its text; it answers with their number */
const createRoles = (prefix: string, count: number) => `
  for (var n = 0; n < ${count}; n++) {
    svc.create('managed/role', '${prefix}' + n, {name: '${prefix}' + n, description: 'Made by a script'});
  }
  n`;
const ADMIN = `Basic ${Buffer.from('svc-admin:Correct-Horse-9').toString('base64')}`;
const EVE = { 'X-Svc-Username': 'eve', 'X-Svc-Password': PASSWORD };

describe('streams of events', () => {
  let test: TestDatabase;
  let server: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    test = await createTestDatabase();
    server = await startTestServer({ database: test });
    other = await startTestServer({ database: test });
    for (const userName of ['eve', 'ada']) {
      const body = {
        userName,
        givenName: 'Given',
        sn: 'S',
        mail: `${userName}@example.com`,
        password: PASSWORD,
      };
      expect((await server.api('PUT', `managed/user/${userName}`, { body })).status).toBe(201);
    }
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const rename = (of: TestServer, id: string, givenName: string) =>
    of.api('PATCH', `managed/user/${id}`, {
      body: [{ operation: 'replace', field: '/givenName', value: givenName }],
    });
  const batches = async () =>
    (await server.database.pool.query('select count(*)::int as count from event_batch')).rows[0].count;

  it('cost nothing while nobody listens', async () => {
    const statements = /event_batch|set (listens|tells)/;
    expect(await countStatements(() => rename(server, 'ada', 'Unheard'), statements)).toBe(0);
    expect(await batches()).toBe(0);
  });

  it('tell on every node what was committed on any, by its name alone', async () => {
    await using here = await listenTo(server.url, 'object:user');
    await using there = await listenTo(other.url, 'object:user,config');
    expect([here.status, here.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const answer = await rename(other, 'ada', 'Heard');
    const named = {
      topic: 'object',
      resource: 'managed/user/ada',
      operation: 'update',
      rev: answer.body._rev,
      transaction: answer.headers.get('X-Request-Id'),
    };
    for (const listener of [here, there]) {
      const { data } = await listener.next(({ event }) => event === 'change');
      expect(data).toEqual(named);
    }
    // A rehearsal and a failure change nothing.
    await other.api('DELETE', 'managed/user/ada?_dryRun=true');
    await other.api('PUT', 'managed/user/ada', {
      body: { userName: 'ada' },
      headers: { 'If-Match': '"77"' },
    });
    const made = await server.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: createRoles('heard', 1) },
    });
    expect([made.status, made.body]).toEqual([200, 1]);
    const marker = await rename(server, 'eve', 'Marker');
    await here.next(({ data }) => data.rev === marker.body._rev && data.resource === 'managed/user/eve');
    expect(here.heard.filter(({ event }) => event === 'change')).toHaveLength(2);
    expect(JSON.stringify(here.heard)).not.toContain('Marker');
  });

  it('tell of schedules, firings, configuration, nodes and the audit', async () => {
    await using listener = await listenTo(server.url, 'schedule,firing,config,node,audit');
    const script = { type: 'text/javascript', source: '1' };
    const body = { schedule: '0 0 0 1 1 ?', invokeService: 'script', invokeContext: { script } };
    await other.api('PUT', 'scheduler/job/told', { body });
    await listener.next(({ data }) => data.topic === 'schedule' && data.resource === 'scheduler/job/told');
    const { firing } = (await other.api('POST', 'scheduler/job/told?_action=trigger')).body;
    const { data } = await listener.next(({ data: { topic } }) => topic === 'firing');
    expect(data.resource).toBe(`scheduler/firing/${firing}`);
    await server.api('PUT', 'config/endpoint/told', {
      body: { context: 'endpoint/told', type: 'text/javascript', source: '1' },
    });
    await listener.next(({ data: { resource } }) => resource === 'config/endpoint/told');
    await server.api('PUT', 'script/file/told.js', { body: { content: '1' } });
    await listener.next(({ data: { resource } }) => resource === 'script/file/told.js');
    await listener.next(({ data: { resource } }) => resource === 'audit/activity');
    const { node } = await other.observed('node.named');
    await server.api('POST', `cluster/${node}?_action=resume`);
    await server.api('POST', `cluster/${node}?_action=drain`);
    await listener.next(({ data: { resource } }) => resource === `cluster/${node}`);
    await server.api('POST', `cluster/${node}?_action=resume`);
  });

  it('tell that a node has written into its log, and which one', async () => {
    await using listener = await listenTo(server.url, 'log');
    const { node } = await other.observed('node.named');
    const source = 'logger.warn("Look here")';
    await other.api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });
    const { data } = await listener.next(({ data: { topic, node: of } }) => topic === 'log' && of === node);
    expect(data).toEqual({ topic: 'log', resource: 'log', operation: 'create', node });
    const { body } = await other.api('GET', `log?_queryFilter=true&_sortKeys=-_id&_pageSize=1`);
    expect(body.result[0]).toMatchObject({ node, level: 'warn', msg: expect.stringContaining('Look here') });
    // What a listener causes by listening is nothing that it hears of.
    const told = listener.heard.length;
    const { body: renamed } = await rename(other, 'ada', 'After the log');
    await using objects = await listenTo(other.url, 'object:user/ada');
    await rename(other, 'ada', 'After that');
    await objects.next(({ data: { rev } }) => rev !== undefined && rev !== renamed._rev);
    expect(listener.heard.length).toBe(told);
  });

  it('tell of no entry of the audit that the configuration leaves out', async () => {
    const audit = (await server.api('GET', 'config/audit')).body;
    const put = async (topics: object) => {
      const body = { ...audit, eventTopics: { ...audit.eventTopics, ...topics } };
      expect((await server.api('PUT', 'config/audit', { body })).status).toBe(200);
    };
    await using listener = await listenTo(server.url, 'audit,object:user');
    const mark = async (name: string) => {
      const from = listener.heard.length;
      const { body } = await rename(server, 'eve', name);
      await listener.next(({ data }) => data.rev === body._rev);
      await server.api('GET', 'info/login', { user: 'eve', password: 'wrong' });
      const again = await rename(server, 'eve', `${name} again`);
      await listener.next(({ data }) => data.rev === again.body._rev);
      return listener.heard.slice(from).flatMap(({ data }) => (data.topic === 'audit' ? data.resource : []));
    };
    expect(new Set(await mark('Told'))).toEqual(new Set(['audit/activity', 'audit/authentication']));
    await put({ activity: { enabled: false }, authentication: { enabled: false } });
    // Of the configuration each change is recorded.
    await listener.next(({ data: { resource } }) => resource === 'audit/config');
    expect(await mark('Untold')).toEqual([]);
    await put({});
  });

  it('say that something is missing where one commit changes more than a batch holds', async () => {
    await using listener = await listenTo(other.url, 'object:role');
    const source = createRoles('many', 230);
    const made = await server.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source },
    });
    expect([made.status, made.body]).toEqual([200, 230]);
    await listener.next(({ event }) => event === 'gap' && listener.heard.length > 200);
  });

  it('tell a user of its own object, and of nothing else', async () => {
    for (const topics of [
      'object:user',
      'object:user/ada',
      'object:user/eve,object:user/ada',
      'config',
      'log',
      'firing',
      'task',
    ]) {
      const refused = await server.api('GET', `events?topics=${topics}`, { user: 'eve', password: PASSWORD });
      expect([topics, refused.status, refused.body.detail?.id]).toEqual([topics, 403, 'ACCESS_DENIED']);
    }
    expect((await fetch(`${server.url}/svc/events?topics=object:user/eve`)).status).toBe(401);
    await using listener = await listenTo(other.url, 'object:user/eve', EVE);
    await rename(server, 'ada', 'Secret');
    const { body } = await rename(server, 'eve', 'Own');
    const { data } = await listener.next(({ event }) => event === 'change');
    expect(data).toMatchObject({ resource: 'managed/user/eve', rev: body._rev });
  });

  it('say what there is to listen to, and what was meant', async () => {
    const listed = await server.api('GET', 'events', { user: 'eve', password: PASSWORD });
    expect(listed.body.topics).toContain('object:<type>');
    for (const [topics, hint] of [
      ['confg', "Did you mean 'config'?"],
      ['object:usr', "Did you mean 'user'?"],
      ['', /There are firing/],
      [Array.from({ length: 51 }, (_, n) => `object:user/${n}`).join(), 'Listen to object:<type>'],
    ] as const) {
      const { status, body } = await server.api('GET', `events?topics=${topics}`);
      expect([status, body.detail.id]).toEqual([400, 'EVENTS_BAD_TOPIC']);
      expect(body.detail.hint).toMatch(hint);
    }
    const badId = await server.api('GET', 'events?topics=config', { headers: { 'Last-Event-ID': 'x' } });
    expect([badId.status, badId.body.detail.id]).toEqual([400, 'EVENTS_BAD_ID']);
  });

  it('go on where they were, or say that something is missing', async () => {
    const before = await listenTo(server.url, 'object:user');
    await rename(server, 'ada', 'One');
    await before.next(({ event }) => event === 'change');
    await eventually(
      async () => Number(before.lastId),
      (id) => id > Number(before.heard.find(({ event }) => event === 'open')!.id),
    );
    await before[Symbol.asyncDispose]();
    const { body } = await rename(other, 'ada', 'Missed');
    const admin = { Authorization: ADMIN };
    await eventually(batches, (count) => count > Number(before.lastId));
    {
      await using after = await listenTo(other.url, 'object:user', {
        ...admin,
        'Last-Event-ID': before.lastId!,
      });
      const { data } = await after.next(({ event }) => event === 'change');
      expect(data.rev).toBe(body._rev);
      expect(after.heard.some(({ event }) => event === 'gap')).toBe(false);
    }
    await server.database.pool.query('delete from event_batch where id <= $1', [Number(before.lastId) + 1]);
    await using late = await listenTo(other.url, 'object:user', {
      ...admin,
      'Last-Event-ID': before.lastId!,
    });
    expect(late.heard.some(({ event }) => event === 'gap')).toBe(true);
  });

  it('are not told all that there was again, which anybody could ask for as often as they like', async () => {
    await using witness = await listenTo(server.url, 'config');
    await server.database.pool.query(`
      insert into event_batch (node, is_gap, events) select 'x', false, '[]' from generate_series(1, 300)`);
    const { rows } = await server.database.pool.query('select max(id)::int as last from event_batch');
    for (const [behind, isGap] of [
      [250, true],
      [150, false],
    ] as const) {
      const headers = { Authorization: ADMIN, 'Last-Event-ID': String(rows[0].last - behind) };
      await using late = await listenTo(server.url, 'config', headers);
      expect([behind, late.heard.some(({ event }) => event === 'gap')]).toEqual([behind, isGap]);
    }
    expect(witness.status).toBe(200);
  });

  describe('end at once on every node, and not with the next beat,', () => {
    const session = async (shown: Record<string, string>) => {
      const login = await server.api('POST', 'authentication?_action=login', { user: null, headers: shown });
      return { Cookie: login.headers.get('Set-Cookie')!.split(';')[0]!, 'X-Requested-With': 'x' };
    };
    const grant = (value: unknown) =>
      server.api('PATCH', 'managed/user/eve', {
        body: [{ operation: 'replace', field: '/authzRoles', value }],
      });
    const administrator = async () => {
      const role = { _ref: 'repo/internal/role/svc-admin' };
      expect((await grant([role])).status).toBe(200);
      return EVE;
    };

    it.each<
      [string, string, () => Promise<Record<string, string>>, (shown: Record<string, string>) => unknown]
    >([
      [
        'with a log-out',
        'object:user/eve',
        () => session(EVE),
        (headers) => server.api('POST', 'authentication?_action=logout', { user: null, headers }),
      ],
      [
        'with another login in its place',
        'object:user/eve',
        () => session(EVE),
        (headers) =>
          server.api('POST', 'authentication?_action=login', { user: null, headers: { ...headers, ...EVE } }),
      ],
      [
        'with an API key',
        'object:user',
        async () => {
          const body = { roles: ['svc-admin'] };
          return { 'X-Svc-Api-Key': (await server.api('PUT', 'apikey/listener', { body })).body.key };
        },
        () => server.api('DELETE', 'apikey/listener'),
      ],
      ['with a role, though the account stays', 'config', administrator, () => grant([])],
      ['with the account', 'config', administrator, () => server.api('DELETE', 'managed/user/eve')],
    ])('%s', async (_what, topics, begin, end) => {
      const shown = await begin();
      // The first of its node: the beats of all its streams are counted from now on.
      await using witness = await listenTo(other.url, 'object:user/ada');
      const listener = await listenTo(other.url, topics, shown);
      await end(shown);
      await listener.ended;
      expect(listener.heard.filter(({ event }) => event === 'change')).toEqual([]);
      const { body } = await rename(server, 'ada', `Seen ${_what}`);
      await witness.next(({ data }) => data.rev === body._rev);
      expect(witness.beats).toBe(0);
    });

    it('with a rule of script/access.js, which is told as a change of the configuration', async () => {
      await using witness = await listenTo(server.url, 'config');
      await using first = await listenTo(other.url, 'object:user/ada');
      const listener = await listenTo(other.url, 'object:user/ada', { ...EVE, 'X-Svc-Username': 'ada' });
      const rule = "{ pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' }";
      await other.project.write('script/access.js', `var httpAccessConfig = { configs: [${rule}] };`);
      await listener.ended;
      const isTold = ({ data }: HeardEvent) => data.resource === 'config/script/access.js';
      expect((await witness.next(isTold)).data).toMatchObject({ topic: 'config', operation: 'update' });
      expect([first.beats, witness.beats]).toEqual([0, 0]);
      await other.project.remove('script/access.js');
    });
  });

  describe('where a filter looks at what is read,', () => {
    const HIDDEN = /user\/(kim|moe)/;

    beforeAll(async () => {
      for (const userName of ['kim', 'moe', 'ned']) {
        const body = { userName, givenName: 'Given', sn: 'S', mail: `${userName}@example.com` };
        expect((await server.api('PUT', `managed/user/${userName}`, { body })).status).toBe(201);
      }
      const source = `
        if (resourcePath === 'managed/user/kim') throw { code: 404, message: 'Not here' };
        if (resourcePath === 'managed/user/moe') throw { code: 400, message: 'Nor this' };`;
      const body = { filters: [{ methods: ['read'], onResponse: { type: 'text/javascript', source } }] };
      expect((await server.api('PUT', 'config/router', { body })).status).toBe(200);
    });
    afterAll(() => server.api('PUT', 'config/router', { body: { filters: [] } }));

    it('do not tell that something changes which it hides, nor that it is there', async () => {
      for (const [id, status] of Object.entries({ kim: 403, moe: 403, none: 403, ned: 200 })) {
        await using listener = await listenTo(server.url, `object:user/${id}`);
        expect([id, listener.status]).toEqual([id, status]);
      }
      await using listener = await listenTo(server.url, 'object:user');
      for (const id of ['kim', 'moe', 'ned']) await rename(server, id, 'Changed');
      await listener.next(({ data }) => data.resource === 'managed/user/ned');
      expect(JSON.stringify(listener.heard)).not.toMatch(HIDDEN);
      expect(listener.heard.some(({ event }) => event === 'gap')).toBe(false);
    });

    it('tell what goes to whoever listened to it alone, and to others that something may be missing', async () => {
      await using all = await listenTo(server.url, 'object:user');
      await using one = await listenTo(server.url, 'object:user/ned');
      await server.api('DELETE', 'managed/user/moe');
      await all.next(({ event }) => event === 'gap');
      await server.api('DELETE', 'managed/user/ned');
      await one.next(({ data }) => data.operation === 'delete' && data.resource === 'managed/user/ned');
      await rename(server, 'ada', 'Next');
      await all.next(({ data }) => data.resource === 'managed/user/ada');
      expect(JSON.stringify([all.heard, one.heard])).not.toMatch(HIDDEN);
    });

    it('may be of anything that it leaves as it is', async () => {
      const { topics } = (await server.api('GET', 'events')).body;
      const plain = topics.filter((name: string) => !name.includes(':'));
      await using listener = await listenTo(server.url, plain.join());
      expect(listener.status).toBe(200);
    });
  });

  it('are six of a caller on a node', async () => {
    await using scope = new AsyncDisposableStack();
    for (let opened = 0; opened < 6; opened++) scope.use(await listenTo(server.url, 'config'));
    const seventh = await server.api('GET', 'events?topics=config');
    expect([seventh.status, seventh.body.detail.id]).toEqual([429, 'EVENTS_TOO_MANY']);
    scope.use(await listenTo(other.url, 'config'));
  });

  it('end when their node stops', async () => {
    const last = await startTestServer({ database: test });
    const listener = await listenTo(last.url, 'config');
    await last[Symbol.asyncDispose]();
    await listener.ended;
    expect(listener.heard.at(-1)?.event).toBe('end');
  });
});
