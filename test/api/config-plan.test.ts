import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const INSTALLED = new URL('../../conf/', import.meta.url);
const GREETING = { type: 'text/javascript', source: "'hello'" };
const NIGHTLY = {
  enabled: true,
  type: 'cron',
  schedule: '0 0 3 * * ?',
  timeZone: 'UTC',
  invokeService: 'script',
  invokeContext: { script: { type: 'text/javascript', source: 'null' } },
};

const managed = async () => JSON.parse(await readFile(new URL('managed.json', INSTALLED), 'utf8'));

describe('a configuration', () => {
  let server: TestServer;
  let api: Api;
  let asAda: Api;
  let nobody: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/endpoint-greet.json': GREETING,
        'conf/schedule-nightly.json': NIGHTLY,
        'conf/own.json': { name: '&{own.name}', secret: 'x &{own.password} y', plain: 1 },
        'conf/plain.json': { plain: 1 },
        'conf/managed.json': { objects: [...(await managed()).objects, { name: 'badge' }] },
      },
      environment: { SVC_EXPOSED_ENV: 'OWN_*', OWN_NAME: 'Meyer', OWN_PASSWORD: 'hunter2-hunter2' },
    });
    api = server.api;
    const users = callersOf(() => api);
    await users.createUser('ada');
    nobody = users.asNobody;
    asAda = callerAs(() => api, 'ada');
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const plan = (id: string, content: unknown, caller: Api = api) =>
    caller('POST', `config/${id}?_action=plan`, { body: { content } });
  const effectsOf = async (id: string, content: unknown) => {
    const { body } = await plan(id, content);
    expect(body).toMatchObject({ findings: [] });
    return body.effects;
  };

  describe('has a revision', () => {
    it('that a change may ask for, and that changes with it', async () => {
      const { body, headers } = await api('GET', 'config/endpoint/greet');
      expect(headers.get('etag')).toBe(`"${body._rev}"`);
      const put = (source: string, revision: string) =>
        api('PUT', 'config/endpoint/greet', {
          body: { ...GREETING, source },
          headers: { 'If-Match': `"${revision}"` },
        });
      const first = await put("'hi'", body._rev);
      expect(first.status).toBe(200);
      const late = await put("'hey'", body._rev);
      expect([late.status, late.body.detail.id]).toEqual([412, 'CONFIG_REVISION']);
      const now = (await api('GET', 'config/endpoint/greet')).body;
      expect([now.source, now._rev === body._rev]).toEqual(["'hi'", false]);
      expect(first.body._rev).toBe(now._rev);
      const patch = [{ operation: 'replace', field: '/source', value: "'hello'" }];
      const headersOf = (revision: string) => ({ 'If-Match': `"${revision}"` });
      const wrong = { body: patch, headers: headersOf(body._rev) };
      expect((await api('PATCH', 'config/endpoint/greet', wrong)).status).toBe(412);
      const gone = await api('DELETE', 'config/endpoint/greet', { headers: headersOf(body._rev) });
      expect(gone.status).toBe(412);
      const right = { body: patch, headers: headersOf(now._rev) };
      expect((await api('PATCH', 'config/endpoint/greet', right)).status).toBe(200);
      // The same content has the same revision, wherever it comes from.
      expect((await api('GET', 'config/endpoint/greet')).body._rev).toBe(body._rev);
    });

    it('of which one of two changes at the same moment knows that it came too late', async () => {
      const { body } = await api('GET', 'config/plain');
      const put = (plain: number) =>
        api('PUT', 'config/plain', {
          body: { ...body, plain },
          headers: { 'If-Match': `"${body._rev}"` },
        });
      const answers = await Promise.all([2, 3, 4].map(put));
      const done = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(done).toHaveLength(1);
      for (const { status, body: error } of refused) {
        expect([status, error.detail.id]).toEqual(
          status === 409 ? [409, 'CONFIG_CHANGED'] : [412, 'CONFIG_REVISION'],
        );
      }
      expect((await api('GET', 'config/plain')).body.plain).toBe(done[0]?.body.plain);
      await api('POST', 'config/plain?_action=revertToFile', { body: {} });
    });
  });

  it('says where it comes from and what it comes to, but for secrets', async () => {
    const read = async (id: string) => (await api('GET', `config/${id}?_fields=_origin,_effective`)).body;
    const own = await read('own');
    expect(own._origin).toEqual({ kind: 'file', file: 'conf/own.json' });
    expect(own._effective).toEqual({ name: 'Meyer', secret: 'x &{own.password} y', plain: 1 });
    await api('PUT', 'config/own', { body: { name: '&{own.name}!' } });
    const changed = await read('own');
    expect(changed._effective).toEqual({ name: 'Meyer!' });
    expect(changed._origin).toEqual({
      kind: 'override',
      hides: 'conf/own.json',
      changedBy: 'svc-admin',
      changedAt: expect.any(String),
    });
    const { body } = await api('GET', 'config?_queryFilter=_id eq "own"&_fields=_id,_origin');
    expect(body.result).toEqual([{ _id: 'own', _origin: changed._origin }]);
    // What was read goes back as it is.
    expect((await api('PUT', 'config/own', { body: { ...changed, name: 'A' } })).status).toBe(200);
    expect((await api('GET', 'config/own')).body).toEqual({
      _id: 'own',
      _rev: expect.any(String),
      name: 'A',
    });
  });

  it('goes back to its file, and to nothing where there is none', async () => {
    const back = (id: string) => api('POST', `config/${id}?_action=revertToFile`, { body: {} });
    await api('PUT', 'config/endpoint/greet', { body: { ...GREETING, source: "'bye'" } });
    const rehearsed = await api('POST', 'config/endpoint/greet?_action=revertToFile&_dryRun=true', {
      body: {},
    });
    expect(rehearsed.status).toBe(200);
    expect((await api('GET', 'endpoint/greet')).body).toBe('bye');
    expect((await back('endpoint/greet')).body).toEqual({ _id: 'endpoint/greet', ...GREETING });
    expect((await api('GET', 'endpoint/greet')).body).toBe('hello');
    const again = await back('endpoint/greet');
    expect([again.status, again.body.detail.id]).toEqual([409, 'CONFIG_NO_OVERRIDE']);
    // A deleted one comes back, one without a file goes.
    await api('DELETE', 'config/endpoint/greet');
    expect((await api('GET', 'endpoint/greet')).status).toBe(404);
    expect((await back('endpoint/greet')).status).toBe(200);
    expect((await api('GET', 'endpoint/greet')).body).toBe('hello');
    await api('PUT', 'config/endpoint/new', { body: GREETING });
    expect((await back('endpoint/new')).status).toBe(200);
    expect((await api('GET', 'config/endpoint/new')).status).toBe(404);
  });

  it('is answered as a read would show it when it goes back to its file', async () => {
    const onResponse = { type: 'text/javascript', source: 'delete response.content.plain' };
    const filters = [{ pattern: 'config/plain', methods: ['read'], onResponse }];
    expect((await api('PUT', 'config/router', { body: { filters } })).status).toBe(200);
    await api('PUT', 'config/plain', { body: { plain: 2 } });
    const back = await api('POST', 'config/plain?_action=revertToFile', { body: {} });
    expect([back.status, back.body]).toEqual([200, { _id: 'plain' }]);
    expect((await api('POST', 'config/router?_action=revertToFile', { body: {} })).status).toBe(200);
    expect((await api('GET', 'config/plain')).body).toMatchObject({ plain: 1 });
  });

  it('whose file is wrong is listed with every mistake and its place', async () => {
    const file = 'conf/schedule-nightly.json';
    const refused = async () => (await api('GET', 'config/_refused')).body.refused;
    expect(await refused()).toEqual([]);
    await server.project.write(
      file,
      JSON.stringify({ ...NIGHTLY, schedule: 'never', enabled: 'perhaps' }, null, 2),
    );
    const [wrong, ...others] = await refused();
    expect(others).toEqual([]);
    expect(wrong).toMatchObject({ _id: 'schedule/nightly', since: expect.any(String) });
    expect(wrong.findings).toContainEqual({
      id: 'CONFIG_BAD_VALUE',
      message: expect.stringContaining('perhaps'),
      file: 'conf/schedule-nightly.json',
      line: 2,
      column: 14,
      field: '/enabled',
    });
    await server.project.write(file, NIGHTLY);
    expect(await refused()).toEqual([]);
  });

  describe('is planned', () => {
    it('with all that is wrong and all that would be another, and nothing changes', async () => {
      const wrong = await plan('schedule/nightly', { ...NIGHTLY, schedule: 'never', enabled: 'perhaps' });
      expect(wrong.status).toBe(200);
      expect(wrong.body.findings).toContainEqual(expect.objectContaining({ field: '/enabled' }));
      expect(wrong.body.effects).toEqual([]);
      const { body } = await plan('schedule/nightly', { ...NIGHTLY, schedule: '0 30 4 * * ?' });
      expect(body.changes).toEqual([{ path: '/schedule', from: '0 0 3 * * ?', to: '0 30 4 * * ?' }]);
      expect(body.effects).toEqual([
        {
          kind: 'schedule.firings',
          schedule: 'nightly',
          before: expect.arrayContaining([expect.stringContaining('T03:00:00')]),
          after: expect.arrayContaining([expect.stringContaining('T04:30:00')]),
          text: expect.stringContaining("'nightly' runs next at"),
        },
      ]);
      expect((await api('GET', 'config/schedule/nightly')).body.schedule).toBe('0 0 3 * * ?');
      for (const none of ['now', undefined])
        expect((await plan('schedule/nightly', none)).body.detail.id).toBe('CONFIG_NO_CONTENT');
    });

    it('of the types, with the objects that it is about', async () => {
      const types = await managed();
      const user = types.objects.find(({ name }: { name: string }) => name === 'user');
      const { city, ...properties } = user.schema.properties;
      properties.telephoneNumber = { ...properties.telephoneNumber, type: 'number' };
      properties.badge = { type: 'string', title: 'Badge', searchable: true };
      user.schema.properties = properties;
      user.schema.required = [...user.schema.required, 'postalCode'];
      await api('PATCH', 'managed/user/ada', {
        body: [
          { operation: 'replace', field: '/city', value: 'Bern' },
          { operation: 'replace', field: '/telephoneNumber', value: '031' },
        ],
      });
      types.objects.push({ name: 'device' });
      expect(city).toBeDefined();
      await api('PUT', 'managed/badge/b1', { body: {} });
      const effects = await effectsOf('managed', types);
      const about = (kind: string) => effects.filter((effect: { kind: string }) => effect.kind === kind);
      expect(about('property.removed')).toContainEqual(
        expect.objectContaining({ type: 'user', property: 'city', count: 1, sample: ['ada'] }),
      );
      expect(about('property.retyped')).toEqual([
        expect.objectContaining({ property: 'telephoneNumber', count: 1, sample: ['ada'] }),
      ]);
      expect(about('property.required')).toEqual([
        expect.objectContaining({ property: 'postalCode', count: 1, sample: ['ada'] }),
      ]);
      expect(about('property.added')).toEqual([expect.objectContaining({ property: 'badge' })]);
      expect(about('index.built')).toEqual([expect.objectContaining({ property: 'badge' })]);
      expect(about('type.added')).toEqual([expect.objectContaining({ type: 'device' })]);
      expect(about('type.removed')).toEqual([expect.objectContaining({ type: 'badge', count: 1 })]);
    });

    it('of who may come in, with the way back of whoever asks', async () => {
      const { body: authentication } = await api('GET', 'config/authentication');
      const modules = authentication.serverAuthContext.authModules;
      const without = (name: string) => ({
        ...authentication,
        serverAuthContext: {
          ...authentication.serverAuthContext,
          authModules: modules.filter((module: { name: string }) => module.name !== name),
        },
      });
      const lost = await plan('authentication', without('INTERNAL_USER'));
      expect(lost.body.findings).toEqual([
        { id: 'AUTH_LOCKS_OUT', message: expect.any(String), hint: expect.any(String) },
      ]);
      expect(await effectsOf('authentication', without('MANAGED_USER'))).toEqual([
        {
          kind: 'module.removed',
          module: 'MANAGED_USER',
          count: 0,
          text: 'Nobody comes in by MANAGED_USER any more; 0 sessions began there',
        },
      ]);
    });

    it('of the trail and of an endpoint', async () => {
      const { body: audit } = await api('GET', 'config/audit');
      expect(await effectsOf('audit', { ...audit, keepDays: 90 })).toEqual([]);
      expect(await effectsOf('endpoint/greet', { ...GREETING, context: 'endpoint/greetings*' })).toEqual([
        expect.objectContaining({
          kind: 'endpoint.moved',
          from: 'endpoint/greet*',
          to: 'endpoint/greetings*',
        }),
      ]);
      expect(await effectsOf('endpoint/greet', null)).toEqual([
        expect.objectContaining({ kind: 'endpoint.moved', to: null }),
      ]);
    });
  });

  it('is planned by who may only do that without a script of theirs being run', async () => {
    const rules = `var httpAccessConfig = { configs: [
      { pattern: 'config/*', roles: 'svc-authorized', methods: 'action', actions: 'plan' },
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' } ] };`;
    await using other = await startTestServer({ files: { 'script/access.js': rules } });
    await callersOf(() => other.api).createUser('eve');
    const source = "throw { code: 400, message: JSON.stringify(svc.read('repo/managed/user/eve')) };";
    const content = { filters: [{ onRequest: { type: 'text/javascript', source } }] };
    const planned = await callerAs(() => other.api, 'eve')('POST', 'config/router?_action=plan', {
      body: { content },
    });
    expect([planned.status, planned.body.findings]).toEqual([200, []]);
    expect(planned.body.warnings).toContainEqual(expect.objectContaining({ id: 'CONFIG_NOT_TRIED' }));
    const asked = await other.api('POST', 'config/router?_action=plan', { body: { content } });
    expect(asked.body.findings).toEqual([expect.objectContaining({ id: 'ROUTER_LOCKS_OUT' })]);
  });

  it('is nothing for anybody else', async () => {
    for (const [caller, status] of [
      [asAda, 403],
      [nobody, 401],
    ] as const) {
      expect((await plan('endpoint/greet', GREETING, caller)).status).toBe(status);
      expect((await caller('POST', 'config/endpoint/greet?_action=revertToFile', { body: {} })).status).toBe(
        status,
      );
      expect((await caller('GET', 'config/_refused')).status).toBe(status);
      expect((await caller('GET', 'config/own?_fields=_effective')).status).toBe(status);
    }
  });
});
