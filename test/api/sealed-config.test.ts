import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });
const SECRET = 'open-sesame';
const globals = { password: SECRET };

const MANAGED = {
  objects: [
    {
      name: 'gadget',
      onRetrieve: js('globals.password.length', { globals }),
      schema: { properties: { size: { type: 'string', onRetrieve: { ...js('1'), globals } } } },
      actions: { poke: { type: 'text/javascript', file: 'poke.js', globals } },
    },
    { name: 'other' },
  ],
};
const ROUTER = {
  filters: [{ pattern: '^managed/gadget', methods: ['read'], onRequest: js('1', { globals }) }],
};
const ENDPOINT = js('1', { globals: { nested: { deep: globals } } });

/** Texts that lead to the secret when the server runs them. */
const LEAK = "logger.info(globals.password); 'leak'";

type Content = Awaited<ReturnType<Api>>['body'];

describe('a secret in the globals of a script', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': MANAGED,
        'conf/router.json': ROUTER,
        'conf/endpoint-sealed.json': ENDPOINT,
        'script/poke.js': '1',
        'script/other.js': LEAK,
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const shown = async (id: string) => (await api('GET', `config/${id}`)).body;
  const expectBound = async (method: string, path: string, body: unknown) => {
    const answer = await api(method, path, { body });
    expect([answer.status, answer.body.detail], JSON.stringify(body)).toEqual([
      400,
      expect.objectContaining({
        id: 'CONFIG_SECRET_BOUND',
        hint: expect.stringMatching(/[Ww]rite the secret again$/),
      }),
    ]);
  };

  it('is shown as a seal, and stays while the script does', async () => {
    for (const id of ['managed', 'router', 'endpoint/sealed']) {
      const before = await shown(id);
      expect(JSON.stringify(before)).not.toContain(SECRET);
      expect((await api('PUT', `config/${id}`, { body: before })).status, id).toBe(200);
      expect(JSON.stringify(server.observations)).not.toContain(SECRET);
    }
    const more = await shown('managed');
    more.objects.unshift({ name: 'first' });
    more.objects[1].schema.properties.more = { type: 'string' };
    expect((await api('PUT', 'config/managed', { body: more })).status).toBe(200);
    const poked = await api('PUT', 'managed/gadget/g', { body: { size: '1' } });
    expect(poked.status).toBe(201);
  });

  it.each<[string, (type: Content) => void]>([
    ['has another source', (type) => (type.onRetrieve.source = LEAK)],
    [
      'comes from a file',
      (type) =>
        (type.onRetrieve = { type: 'text/javascript', file: 'other.js', globals: type.onRetrieve.globals }),
    ],
    ['comes from another file', (type) => (type.actions.poke.file = 'other.js')],
    ['is of another language', (type) => (type.onRetrieve.type = 'groovy')],
    ['is given more', (type) => (type.onRetrieve.globals.url = 'https://evil.example.com')],
    ['is of another property', (type) => (type.schema.properties.more = type.schema.properties.size)],
    ['of a property has another source', (type) => (type.schema.properties.size.onRetrieve.source = LEAK)],
    ['is another hook', (type) => (type.onRead = type.onRetrieve)],
    ['is another action', (type) => (type.actions.prod = type.actions.poke)],
    ['is one of a type with another name', (type) => (type.name = 'thing')],
    [
      'stands around another one',
      (type) =>
        (type.onRetrieve = js(LEAK, { globals: { ...type.onRetrieve.globals, source: '1', file: 'x' } })),
    ],
  ])('does not stay where the hook %s', async (_what, change) => {
    const body = await shown('managed');
    change(body.objects.find(({ name }: { name: string }) => name === 'gadget'));
    await expectBound('PUT', 'config/managed', body);
    await expectBound('PUT', 'config/managed?_dryRun=true', body);
  });

  it('does not move to another type', async () => {
    const body = await shown('managed');
    const [from, to] = ['gadget', 'other'].map((name) =>
      body.objects.find((object: { name: string }) => object.name === name),
    );
    to.onRetrieve = from.onRetrieve;
    await expectBound('PUT', 'config/managed', body);
    const at = body.objects.indexOf(to);
    await expectBound('PATCH', 'config/managed', [
      {
        operation: 'copy',
        from: `/objects/${body.objects.indexOf(from)}/onRetrieve`,
        field: `/objects/${at}/onRead`,
      },
    ]);
    await expectBound('PATCH', 'config/managed', [
      {
        operation: 'replace',
        field: `/objects/${body.objects.indexOf(from)}/onRetrieve/source`,
        value: LEAK,
      },
    ]);
  });

  it.each<[string, (filter: Content) => void]>([
    ['has another source', (filter) => (filter.onRequest.source = LEAK)],
    ['is asked for other paths', (filter) => (filter.pattern = '.*')],
    ['is asked for other methods', (filter) => delete filter.methods],
    [
      'runs at another time',
      (filter) => Object.assign(filter, { onResponse: filter.onRequest, onRequest: undefined }),
    ],
  ])('does not stay where the filter %s', async (_what, change) => {
    const body = await shown('router');
    change(body.filters[0]);
    await expectBound('PUT', 'config/router', body);
  });

  it('is of no use under the id of another configuration, nor as a job, an object or a variable', async () => {
    const { _id, ...endpoint } = await shown('endpoint/sealed');
    await expectBound('PUT', 'config/endpoint/another', endpoint);
    await expectBound('PUT', 'config/endpoint/sealed', { ...endpoint, source: LEAK });
    await expectBound('PUT', 'config/schedule/another', {
      schedule: '0 0 0 1 1 ?',
      invokeService: 'script',
      invokeContext: { script: endpoint },
    });
    await expectBound('PUT', 'scheduler/job/another', {
      schedule: '0 0 0 1 1 ?',
      invokeService: 'script',
      invokeContext: { script: endpoint },
    });
    for (const path of ['managed/other/x', 'repo/other/x', 'repo/managed/other/x']) {
      const answer = await api('PUT', path, { body: { seal: endpoint.globals.nested.deep.password } });
      expect([answer.status, answer.body.detail.id], path).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    }
    const job = await api('PUT', 'scheduler/job/secretive', {
      body: {
        schedule: '0 0 0 1 1 ?',
        invokeService: 'script',
        invokeContext: { script: js('1', { globals }) },
      },
    });
    await expectBound('PUT', 'config/endpoint/another', job.body.invokeContext.script);
    await expectBound('PUT', 'config/schedule/another', {
      schedule: '0 0 0 1 1 ?',
      invokeService: 'script',
      invokeContext: job.body.invokeContext,
    });
  });

  const envelope = {
    $crypto: {
      type: 'x-simple-encryption',
      value: { cipher: 'AES/GCM/NoPadding', key: 'svc-sym-default', keyId: 'x', iv: 'AAAA', data: 'AAAA' },
    },
  };

  it.each<[string, string, object]>([
    [
      'known',
      'config/external.email',
      { host: 'mail.example.com', auth: { username: 'u', password: envelope } },
    ],
    [
      'any',
      'config/endpoint/stolen',
      js('svc.decrypt(globals.code)', { globals: { list: [{ code: envelope }] } }),
    ],
  ])('is not brought along encrypted to a place that is %s', async (_which, path, body) => {
    const answer = await api('PUT', path, { body });
    expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
  });
});

describe('a secret of a configuration, in the database', () => {
  let first: TestServer;
  let second: TestServer;
  const test = createSchemaDatabase();
  const meter = {
    type: 'text/javascript',
    source: '[access.password.length, address.length, access.list[0].apiKey]',
    access: { password: SECRET, list: [{ apiKey: 'key-of-the-list' }], shown: 'in plain sight' },
    address: `https://svc:${SECRET}@erp.example.com/`,
  };
  const measured = [SECRET.length, meter.address.length, 'key-of-the-list'];
  const stored = async () => {
    const { rows } = await first.database.pool.query(
      "select content, sealed from config_override where id = 'endpoint/meter'",
    );
    return rows[0] as { content: string; sealed: string[] };
  };

  beforeAll(async () => {
    first = await startTestServer({ database: await test });
    second = await startTestServer({ database: await test });
  });
  afterAll(async () => {
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await (await test)[Symbol.asyncDispose]();
  });

  it('is encrypted wherever it stands, and open on each node', async () => {
    expect((await first.api('PUT', 'config/endpoint/meter', { body: meter })).status).toBe(201);
    const { content, sealed } = await stored();
    expect(content).not.toMatch(/open-sesame|key-of-the-list/);
    expect(content).toContain('in plain sight');
    expect(sealed).toEqual(['/access/password', '/access/list/0/apiKey', '/address']);
    for (const { api } of [first, second])
      expect((await api('GET', 'endpoint/meter')).body).toEqual(measured);
  });

  it('stays as it is when its seal comes back', async () => {
    const { body } = await second.api('GET', 'config/endpoint/meter');
    expect(JSON.stringify(body)).not.toMatch(/open-sesame|key-of-the-list/);
    expect((await second.api('PUT', 'config/endpoint/meter', { body })).status).toBe(200);
    expect((await stored()).content).not.toMatch(/open-sesame|key-of-the-list/);
    for (const { api } of [first, second])
      expect((await api('GET', 'endpoint/meter')).body).toEqual(measured);
  });

  it('is encrypted as soon as a node reads what a version has left that did not do so', async () => {
    const content = JSON.stringify(meter, null, 2);
    await first.database.pool.query(
      "update config_override set content = $1, sealed = null, version = default where id = 'endpoint/meter'",
      [content],
    );
    await eventually(stored, ({ sealed }) => sealed !== null);
    expect((await stored()).content).not.toMatch(/open-sesame|key-of-the-list/);
    for (const { api } of [first, second])
      expect((await api('GET', 'endpoint/meter')).body).toEqual(measured);
  });
});
