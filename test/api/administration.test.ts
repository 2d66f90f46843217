import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, apiOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { managedChanged, managedWith } from '../support/managed-config.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the configuration over HTTP', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    const files = {
      'conf/managed.json': managedWith(),
      'conf/workflow.json': {
        mail: {
          host: 'mail.example.com',
          port: 25,
          username: 'svc',
          password: 'open sesame',
          starttls: true,
        },
      },
      'conf/scheduler.json': { threadPool: { threadCount: '&{my.threads}' } },
      'conf/boot/boot.properties': `${WATCHFUL}my.threads=7`,
    };
    server = await startTestServer({ files, threads: 2 });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('shows the secrets of schedules nowhere, and keeps them where they are', async () => {
    const source = `
      while (svc.read('managed/device/gate') === null) {}
      svc.create('managed/device', 'opened', { all: [password, apiKey].join() === ['hunter-', 'hunter-'].map((text, at) => text + (at + 3)).join() });`;
    const secrets = ['hunter-1', 'hunter-2', 'hunter-3', 'hunter-4'];
    const schedule = {
      schedule: '0 0 0 1 1 ?',
      timeZone: 'UTC',
      persisted: true,
      invokeService: 'script',
      invokeContext: {
        password: 'hunter-1',
        target: 'https://svc:hunter-2@erp.example.com/',
        keyAlias: 'shown-1',
        script: {
          type: 'text/javascript',
          source,
          timeout: 120_000,
          globals: { password: 'hunter-3', apiKey: 'hunter-4', tokenTypes: 'shown-2' },
        },
      },
    };
    const path = 'scheduler/job/secretive';
    expect((await api('PUT', 'config/schedule/secretive', { body: schedule })).status).toBe(201);
    await eventually(
      () => api('GET', path),
      ({ status }) => status === 200,
    );
    const stored = async () => {
      const tables = [
        'config_override',
        'scheduler_job',
        'scheduler_job_view',
        'scheduler_trigger_view',
        'svc_trigger',
        'svc_schedule',
      ];
      const found = await Promise.all(
        tables.map((table) => server.database.pool.query(`select t::text as text from ${table} t`)),
      );
      return found.flatMap(({ rows }) => rows.map(({ text }) => text)).join();
    };
    expect(await stored()).toContain('x-simple-encryption');
    expect(await stored()).not.toMatch(/hunter-\d/);
    const { triggers, nextRunDate, previousRunDate, ...read } = (await api('GET', path)).body;
    expect(read.invokeContext).toMatchObject({
      target: 'https://svc:***@erp.example.com/',
      keyAlias: 'shown-1',
      script: { source, globals: { password: { $crypto: {} }, tokenTypes: 'shown-2' } },
    });
    await api('POST', `${path}?_action=trigger`);
    const running = await eventually(
      () => api('POST', 'scheduler/job?_action=listCurrentlyExecutingJobs'),
      ({ body }) => JSON.stringify(body).includes('secretive'),
    );
    const later = { ...read, schedule: '0 0 1 1 1 ?' };
    const answers = [
      running,
      await api('GET', 'scheduler/job?_queryFilter=true'),
      await api('PUT', `${path}?_dryRun=true`, { body: later }),
      await api('PUT', path, { body: later }),
      await api('GET', 'config/schedule/secretive'),
      await api('PUT', 'managed/device/gate', { body: {} }),
      await api('GET', 'audit/activity?_queryFilter=true'),
    ];
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300);
      for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    }
    expect(await stored()).not.toMatch(/hunter-\d/);
    const opened = await eventually(
      () => api('GET', 'managed/device/opened'),
      ({ status }) => status === 200,
    );
    expect(opened.body.all).toBe(true);
    // The secrets stay when the schedule comes back as it was shown, and are opened again.
    await api('DELETE', 'managed/device/opened');
    await api('POST', `${path}?_action=trigger`);
    const again = await eventually(
      () => api('GET', 'managed/device/opened'),
      ({ status }) => status === 200,
    );
    expect(again.body.all).toBe(true);
    const envelope = { $crypto: { type: 'x-simple-encryption', value: { data: 'AAAA' } } };
    for (const foreign of [{ password: envelope }, { input: { list: [envelope] } }]) {
      const body = {
        ...read,
        _id: undefined,
        invokeContext: { script: { type: 'text/javascript', source: '1' }, ...foreign },
      };
      const brought = await api('PUT', 'scheduler/job/foreign', { body });
      expect([brought.status, brought.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    }
    const script = { ...read.invokeContext.script, source: 'logger.info(globals.password)' };
    const host = 'https://svc:***@elsewhere.example.com/';
    for (const changed of [{ script }, { target: host }]) {
      const body = { ...read, invokeContext: { ...read.invokeContext, ...changed } };
      for (const refusing of [path, 'scheduler/job/another', 'config/schedule/secretive']) {
        const refused = await api('PUT', refusing, { body: { ...body, _id: undefined } });
        expect([refused.status, refused.body.detail.id]).toEqual([400, 'CONFIG_SECRET_BOUND']);
      }
    }
    for (const asked of ['password sw "h"', 'target co "hunter"', 'script/globals pr']) {
      const filter = encodeURIComponent(`invokeContext/${asked}`);
      const guess = await api('GET', `scheduler/job?_queryFilter=${filter}`);
      expect([guess.status, guess.body.detail.id]).toEqual([403, 'QUERY_SECRET']);
    }
    await api('DELETE', 'config/schedule/secretive');
  });

  it('is listed, and read raw with its references unresolved', async () => {
    const { body } = await api('GET', 'config');
    expect(body).toMatchObject({
      _id: '',
      configurations: expect.arrayContaining([{ _id: 'managed', pid: 'managed', factoryPid: null }]),
    });
    const raw = await api('GET', 'config/scheduler');
    expect(raw.body).toEqual({
      _id: 'scheduler',
      _rev: expect.any(String),
      threadPool: { threadCount: '&{my.threads}' },
    });
    expect((await api('GET', 'config/nothing')).status).toBe(404);
  });

  it('also reaches the script threads of every node', async () => {
    const hooked = {
      objects: [
        ...managedWith('gadget').objects,
        { name: 'hooked', onCreate: { type: 'text/javascript', source: 'object.hooked = true' } },
      ],
    };
    await api('PUT', 'config/managed', { body: hooked });
    expect((await api('PUT', 'managed/hooked/h1', { body: {} })).body.hooked).toBe(true);
  });

  it('is patched', async () => {
    const patched = await api('PATCH', 'config/managed', {
      body: [{ operation: 'add', field: '/objects/-', value: { name: 'patched' } }],
    });
    expect(patched.status).toBe(200);
    expect((await api('PUT', 'managed/patched/p1', { body: {} })).status).toBe(201);
  });

  it('is transformed by a script', async () => {
    const source = 'content.forEach(function (type) { type.title = type.name.toUpperCase(); }); content;';
    const { status, body } = await api('PATCH', 'config/managed', {
      body: [
        { operation: 'transform', field: '/objects', value: { script: { type: 'text/javascript', source } } },
      ],
    });
    expect([status, body.objects[0]]).toEqual([200, { name: 'device', title: 'DEVICE' }]);
  });

  it('is refused as a whole when it is wrong, with every mistake, and nothing changes', async () => {
    const before = (await api('GET', 'config/managed')).body;
    const refused = await api('PUT', 'config/managed', { body: { objects: [{ name: 5 }, { nam: 'x' }] } });
    expect(refused.body).toMatchObject({
      code: 400,
      detail: { id: 'CONFIG_INVALID', findings: expect.any(Array) },
    });
    expect(refused.body.detail.findings.length).toBeGreaterThanOrEqual(2);
    const hook = await api('PUT', 'config/managed', {
      body: { objects: [{ name: 'x', onCreate: { type: 'text/javascript', source: '1', file: 'both.js' } }] },
    });
    expect([hook.status, hook.body.detail.findings[0]]).toEqual([
      400,
      expect.stringMatching(/source and file/),
    ]);
    for (const [method, id, body, said] of [
      ['DELETE', 'managed', undefined, /no managed type/],
      ['PUT', 'managed', {}, /no managed type/],
      ['PUT', 'authentication', { serverAuthContext: {} }, /nobody could log in/],
      ['PUT', 'workflow', { location: 'embeded' }, /embedded/],
      ['PUT', 'endpoint/long', { type: 'text/javascript', source: 'a;'.repeat(15_001) }, /more than 30000/],
      ['DELETE', 'authentication', undefined, /nobody could log in/],
      [
        'PUT',
        'schedule/s',
        { invokeService: 'elsewhere', schedule: '0 0 * * *' },
        /:3:15 .*has 5 fields .* a Unix cron/,
      ],
    ] as const) {
      const lockedOut = await api(method, `config/${id}`, body === undefined ? {} : { body });
      expect(lockedOut.status, id).toBe(400);
      expect(lockedOut.body.detail.findings, id).toEqual([expect.stringMatching(said)]);
    }
    const broken = {
      objects: [{ name: 'x', onCreate: { type: 'text/javascript', file: 'nope.js' }, title: 7 }],
    };
    const missing = await api('PUT', 'config/managed', { body: broken });
    expect([missing.status, missing.body.detail.findings]).toEqual([
      400,
      [expect.stringMatching(/^config\/managed:\d+:\d+ .*'nope.js' is in none/)],
    ]);
    const factory = await api('PUT', 'config/endpoint', { body: { type: 'text/javascript', source: '1' } });
    expect(factory.body).toMatchObject({ code: 400, detail: { hint: 'PUT it to /config/endpoint/<alias>' } });
    expect((await api('GET', 'config/managed')).body).toEqual(before);
  });

  it('opens no network to whoever may change it over HTTP', async () => {
    const allow = (...networks: string[]) =>
      api('PUT', 'config/workflow', { body: { http: { allow: networks } } });
    const { status, body } = await allow('127.0.0.0/8');
    expect([status, body.detail.id]).toEqual([403, 'CONFIG_OPERATORS_ONLY']);
    const patched = await api('PATCH', 'config/workflow', {
      body: [{ operation: 'add', field: '/http', value: { allow: ['169.254.169.254'] } }],
    });
    expect(patched.status).toBe(403);
    expect((await api('GET', 'config/workflow')).body.http).toBeUndefined();
  });

  it('reads scripts and process files of the project and the installation, and nothing else of the machine', async () => {
    const sources = (directory: string) => ({ ECMAScript: {}, sources: { all: { directory } } });
    for (const directory of [
      '/',
      '/etc',
      `${server.project.location}/..`,
      `${server.project.location}-other`,
    ]) {
      const { status, body } = await api('PUT', 'config/script', { body: sources(directory) });
      expect([status, body.detail.findings], directory).toEqual([
        400,
        [expect.stringMatching(/^config\/script:\d+:\d+ .* lies outside of the project/)],
      ]);
    }
    const elsewhere = await api('PUT', 'config/workflow', { body: { workflowDirectory: '/etc' } });
    expect([elsewhere.status, elsewhere.body.detail.findings]).toEqual([
      400,
      [expect.stringMatching(/'\/etc' lies outside/)],
    ]);
    const evaluate = (source: string) =>
      api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });
    for (const source of [
      "load('/etc/hostname')",
      "load('conf/boot/boot.properties')",
      "load('conf/managed.json')",
      "load(identityServer.getProjectLocation() + '/conf/managed.json')",
      "require('../../etc/hostname')",
      "require('conf/managed.json')",
    ]) {
      const { status, body } = await evaluate(source);
      expect([status, body.message], source).toEqual([
        404,
        expect.stringMatching(/is in none of the script sources/),
      ]);
    }
  });

  it('never shows the secrets of its files, and keeps them when it is sent back', async () => {
    const { body: shown } = await api('GET', 'config/workflow');
    expect(shown.mail).toMatchObject({ host: 'mail.example.com', password: { $crypto: expect.any(Object) } });
    const listed = await api('GET', 'config?_queryFilter=mail/password+eq+"open+sesame"');
    expect(listed.body.result).toEqual([]);
    const script =
      "JSON.stringify([svc.read('config/workflow'), svc.query('config', {_queryFilter: 'true'})])";
    const read = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: script },
    });
    const rehearsed = await api('PUT', 'config/workflow?_dryRun=true', {
      body: { ...shown, history: 'full', mail: { ...shown.mail, password: 'open barley' } },
    });
    expect(rehearsed.body.changes[0].resource).toBe('config/workflow');

    const kept = await api('PUT', 'config/workflow', { body: { ...shown, history: 'full' } });
    expect([kept.status, kept.body.history]).toEqual([200, 'full']);
    const { rows } = await server.database.pool.query(
      "select content from config_override where id = 'workflow'",
    );
    const stored = JSON.parse(rows[0].content).mail.password.$crypto;
    expect(stored.value.data).toEqual(expect.any(String));

    const all = await api('GET', 'config?_queryFilter=true');
    const trail = await server.database.pool.query('select * from svc_audit');
    const said = JSON.stringify([shown, read, rehearsed, kept, all.body, trail.rows, server.observations]);
    expect(said).not.toMatch(/sesame|barley/);
    expect(said).not.toContain(stored.value.data);
  });

  it('sends a secret that it keeps to no other place', async () => {
    const { body: shown } = await api('GET', 'config/workflow');
    const put = (mail: object) => api('PUT', 'config/workflow', { body: { ...shown, mail } });
    for (const mail of [
      { ...shown.mail, host: 'evil.example.com' },
      { ...shown.mail, starttls: false, port: 2525 },
      { host: 'mail.example.com', port: 25, from: shown.mail.password },
    ]) {
      const { status, body } = await put(mail);
      expect([status, body.detail.id], JSON.stringify(mail)).toEqual([400, 'CONFIG_SECRET_BOUND']);
    }
    const patched = await api('PATCH', 'config/workflow', {
      body: [{ operation: 'replace', field: '/mail/host', value: 'evil.example.com' }],
    });
    expect(patched.status).toBe(400);
    // Nor by a script that gets it, nor by the name of a property.
    const endpoint = {
      type: 'text/javascript',
      source: '1',
      options: { key: 'open barley' },
      encrypt: ['/options/key'],
    };
    const { body: made } = await api('PUT', 'config/endpoint/sealed', { body: endpoint });
    expect(JSON.stringify(made)).not.toContain('barley');
    const leak = await api('PUT', 'config/endpoint/sealed', { body: { ...made, source: 'options.key' } });
    const reference = await api('PUT', 'config/endpoint/other', {
      body: { type: 'text/javascript', source: 'it', it: '&{svc.mail.password}' },
    });
    expect([leak.status, reference.status]).toEqual([400, 400]);
    expect((await api('PUT', 'config/endpoint/sealed', { body: made })).status).toBe(200);
    expect((await put({ ...shown.mail, host: 'new.example.com', password: 'open barley' })).status).toBe(200);
    await api('DELETE', 'config/endpoint/sealed');
  });

  it('keeps secrets encrypted from the moment they are written', async () => {
    const path = 'config/external.email';
    const body = { host: 'mail.example.com', auth: { username: 'svc', password: 'open sesame' } };
    const encrypted = { $crypto: { type: 'x-simple-encryption', value: expect.any(Object) } };
    const created = await api('PUT', path, { body });
    expect([created.status, created.body.auth]).toEqual([201, { username: 'svc', password: encrypted }]);
    const patched = await api('PATCH', path, {
      body: [{ operation: 'replace', field: '/auth/password', value: 'open barley' }],
    });
    expect(patched.body.auth.password).toEqual(encrypted);
    expect(patched.body.auth.password).not.toEqual(created.body.auth.password);
    const { rows } = await server.database.pool.query('select content from config_override');
    expect(JSON.stringify([rows, (await api('GET', path)).body])).not.toMatch(/sesame|barley/);
    expect((await api('DELETE', path)).status).toBe(200);
  });

  it('can be rehearsed', async () => {
    const { body } = await api('PUT', 'config/managed?_dryRun=true', { body: managedWith('never') });
    expect(body).toMatchObject({
      dryRun: true,
      changes: [{ resource: 'config/managed', operation: 'update' }],
    });
    expect((await api('PUT', 'managed/never/n', { body: {} })).status).toBe(404);
  });

  it('has schedules that come and go', async () => {
    const schedule = { persisted: true, schedule: '0 0 2 * * ?', invokeService: 'elsewhere' };
    const created = await api('PUT', 'config/schedule/nightly', { body: schedule });
    expect(created.status).toBe(201);
    expect((await api('GET', 'scheduler/job/nightly')).body).toMatchObject({ schedule: '0 0 2 * * ?' });
    const again = await api('PUT', 'config/schedule/nightly', {
      body: schedule,
      headers: { 'If-None-Match': '*' },
    });
    expect(again.status).toBe(412);
    const deleted = await api('DELETE', 'config/schedule/nightly');
    expect([deleted.status, deleted.body]).toEqual([200, { _id: 'schedule/nightly', ...schedule }]);
    expect((await api('GET', 'scheduler/job/nightly')).status).toBe(404);
    expect((await api('GET', 'config/schedule/nightly')).status).toBe(404);
  });

  it('is queried', async () => {
    const { body } = await api(
      'GET',
      `config?_queryFilter=${encodeURIComponent('threadPool pr')}&_fields=_id`,
    );
    expect(body.result).toEqual([{ _id: 'scheduler' }]);
    expect((await api('GET', 'config?_queryId=query-all-ids')).body.result).toContainEqual({
      _id: 'managed',
    });
  });

  it('of a file that is edited later is what the file says', async () => {
    await server.project.write('conf/managed.json', managedWith('edited'));
    await server.observed('config.warned', ({ message }) => message.includes('conf/managed.json was edited'));
    await managedChanged(server);
    const created = async () => (await api('PUT', 'managed/edited/e1', { body: {} })).status;
    while ((await created()) === 404) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await api('GET', 'config/managed')).body).toMatchObject({
      _id: 'managed',
      ...managedWith('edited'),
    });
  });

  it('is not named as its file is', async () => {
    const { status, body } = await api('PUT', 'config/endpoint-x3', {
      body: { type: 'text/javascript', source: '1' },
    });
    expect([status, body.detail.hint]).toEqual([400, "Did you mean 'endpoint/x3'?"]);
    expect((await api('GET', 'config/endpoint-x3')).status).toBe(404);
  });

  it.each<[string, string, string, object, number]>([
    ['an id of three parts', 'PUT', 'config/a/b/c', { body: {} }, 400],
    ['no id', 'POST', 'config/schedule', { body: {} }, 400],
    ['what the server cannot do without', 'DELETE', 'config/script', {}, 400],
    ['an action', 'POST', 'config/managed?_action=dance', {}, 501],
    ['an update of nothing', 'PUT', 'config/nothing', { body: {}, headers: { 'If-Match': '*' } }, 404],
  ])('refuses %s', async (_title, method, path, options, status) => {
    expect((await api(method, path, options)).status).toBe(status);
  });
});

describe('the server over HTTP', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': managedWith(),
        'conf/repo.json': {
          queries: { 'by-floor': { _queryFilter: 'floor ge $' + '{int:least} and label sw $' + '{start}' } },
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('says that it is ready, who calls, and which version it is', async () => {
    expect((await api('GET', 'info/ping')).body).toMatchObject({ _id: '', state: 'ACTIVE_READY' });
    expect((await api('GET', 'info/login')).body).toMatchObject({
      _id: 'login',
      authenticationId: 'svc-admin',
      authorization: {
        id: 'svc-admin',
        component: 'repo/internal/user',
        roles: ['svc-admin', 'svc-authorized'],
        ipAddress: expect.any(String),
      },
    });
    expect((await api('GET', 'info/version')).body.productVersion).toMatch(/^\d+\.\d+\.\d+/);
    expect((await api('GET', 'info/nothing')).status).toBe(404);
    expect((await api('DELETE', 'info/ping')).status).toBe(501);
    expect((await apiOf(server.url)('GET', 'info/ping', { user: null })).status).toBe(401);
  });

  it('tells figures of its health', async () => {
    expect((await api('GET', 'health/os')).body).toMatchObject({ availableProcessors: expect.any(Number) });
    expect((await api('GET', 'health/memory')).body.heapMemoryUsage.used).toBeGreaterThan(0);
    expect((await api('GET', 'health/jdbc')).body.connectionsMax).toBe(5);
    expect((await api('GET', 'health/nothing')).status).toBe(404);
  });

  it('knows the predefined queries, shipped and configured', async () => {
    await api('PUT', 'repo/room/r1', { body: { label: 'north 1', floor: 1, userName: 'x' } });
    await api('PUT', 'repo/room/r2', { body: { label: 'north 2', floor: 2, userName: 'y"' } });
    const ids = async (query: string) =>
      (await api('GET', `repo/room?${query}`)).body.result?.map((row: { _id: string }) => row._id);
    expect(await ids('_queryId=query-all')).toEqual(['r1', 'r2']);
    expect(await ids('_queryId=for-userName&uid=y%22')).toEqual(['r2']);
    expect(await ids('_queryId=get-by-field-value&field=label&value=north%201')).toEqual(['r1']);
    expect(await ids('_queryId=by-floor&least=2&start=north')).toEqual(['r2']);
    const missing = await api('GET', 'repo/room?_queryId=by-floor&least=2');
    expect([missing.status, missing.body.message]).toEqual([400, "The query needs the parameter 'start'"]);
  });
});
