import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const TYPES = (encryption: object | null) => ({
  objects: [
    {
      name: 'account',
      schema: {
        properties: {
          name: { type: 'string' },
          pin: { type: 'string', ...(encryption === null ? {} : { encryption }) },
          hidden: { type: 'object', scope: 'private', encryption: { key: 'svc-sym-default' } },
          password: { type: 'string', scope: 'private', minLength: 8, secureHash: { algorithm: 'SHA-256' } },
          note: { type: 'string', scope: 'private' },
          shown: { type: 'string', secureHash: { algorithm: 'SHA-256' } },
          kept: { type: 'array', items: { type: 'object' } },
        },
      },
      actions: {
        open: script(
          'svc.update(resourcePath, null, Object.assign({}, object, { name: svc.decrypt(object.pin) + object.shown.$crypto.value.data.length }));',
        ),
        copy: script(
          "svc.create('managed/account', 'copy', { pin: svc.read(resourcePath, null, ['pin']).pin, note: 'inside' });",
        ),
      },
    },
  ],
});

describe('secrets of managed objects', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/boot/boot.properties': WATCHFUL,
        'conf/managed.json': TYPES({ key: 'svc-sym-default' }),
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const stored = async (id: string) =>
    (await server.database.pool.query('select data from managed_object where id = $1', [id])).rows[0].data;
  const evaluate = async (source: string) =>
    (await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } })).body;

  it('are stored encrypted or hashed, and private ones are never shown outside', async () => {
    const created = await api('PUT', 'managed/account/a', {
      body: { name: 'a', pin: '1234', hidden: { x: 1 }, password: 'Secret-123', note: 'psst', shown: 'word' },
    });
    expect(Object.keys(created.body)).toEqual(['_id', '_rev', 'name', 'pin', 'shown']);
    expect(created.body.pin.$crypto.type).toBe('x-simple-encryption');
    expect(await stored('a')).toMatchObject({
      hidden: { $crypto: { type: 'x-simple-encryption' } },
      password: { $crypto: { type: 'salted-hash' } },
      note: 'psst',
    });
    expect(JSON.stringify(await stored('a'))).not.toMatch(/1234|Secret-123/);
    for (const fields of ['*', 'password,note', '/note', 'hidden/x']) {
      const { body } = await api('GET', `managed/account/a?_fields=${encodeURIComponent(fields)}`);
      expect(JSON.stringify(body)).not.toMatch(/psst|password|hidden/);
    }
  });

  it('are seen by the server itself, and can be used there', async () => {
    expect(await evaluate("svc.read('managed/account/a').note")).toBe('psst');
    expect(await evaluate("svc.decrypt(svc.read('managed/account/a').pin)")).toBe('1234');
    expect(await evaluate("svc.matches('Secret-123', svc.read('managed/account/a').password)")).toBe(true);
  });

  it('cannot be found out by filters and sort keys from outside', async () => {
    const filter = encodeURIComponent('note sw "p"');
    expect((await api('GET', `managed/account?_queryFilter=${filter}`)).body.result).toEqual([]);
    expect(
      (await api('GET', `managed/account?_queryFilter=${encodeURIComponent('!(note pr)')}`)).body.result,
    ).toHaveLength(1);
    expect(
      await evaluate(`svc.query('managed/account', { _queryFilter: 'note sw "p"' }).result.length`),
    ).toBe(1);
  });

  it('are shown as seals, whoever asks and however, and to scripts as they are', async () => {
    const sealed = (type: string, value: object) => ({
      $crypto: { type, value: { ...value, sealed: expect.any(String) } },
    });
    const pin = sealed('x-simple-encryption', { key: 'svc-sym-default' });
    const shown = sealed('salted-hash', { algorithm: 'SHA-256' });
    const { body: read } = await api('GET', 'managed/account/a');
    expect(read).toMatchObject({ pin, shown });
    const query = `managed/account?_queryFilter=${encodeURIComponent('name eq "a"')}`;
    expect((await api('GET', query)).body.result[0]).toMatchObject({ pin, shown });
    expect((await api('GET', 'managed/account/a?_fields=pin')).body.pin).toEqual(pin);
    const patched = await api('PATCH', 'managed/account/a', {
      body: [{ operation: 'replace', field: '/name', value: 'a' }],
    });
    expect(patched.body).toMatchObject({ pin, shown });
    for (const field of ['pin/$crypto/value/data', 'shown/$crypto/value/data']) {
      const { body } = await api('GET', `managed/account/a?_fields=${encodeURIComponent(field)}`);
      expect(Object.keys(body)).toEqual(['_id', '_rev']);
    }
    await api('PUT', 'managed/account/opened', { body: { pin: '77', shown: 'word' } });
    const acted = await api('POST', 'managed/account/opened?_action=open');
    expect(acted.body).toMatchObject({ name: expect.stringMatching(/^77\d+$/), pin, shown });
    const { pin: kept } = await stored('opened');
    expect(JSON.stringify(acted.body)).not.toContain(kept.$crypto.value.data);
  });

  it('are changed by none that is put back where it stood, and refused anywhere else', async () => {
    const before = await stored('a');
    const { pin, shown } = (await api('GET', 'managed/account/a')).body;
    const patch = (field: string, value: unknown) =>
      api('PATCH', 'managed/account/a', { body: [{ operation: 'replace', field, value }] });
    expect([(await patch('/pin', pin)).status, (await patch('/shown', shown)).status]).toEqual([200, 200]);
    expect(await stored('a')).toEqual(before);
    const { pin: another } = (await api('PUT', 'managed/account/another', { body: { pin: '1' } })).body;
    for (const answer of [
      await patch('/name', pin),
      await patch('/pin', another),
      await patch('/pin', shown),
      await patch('/kept', [{ code: pin }]),
      await api('PUT', 'managed/account/a', { body: { pin: another } }),
      await api('PUT', 'managed/account/anew', { body: { pin } }),
    ]) {
      expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    }
    expect(await stored('a')).toEqual(before);
    await api('DELETE', 'managed/account/another');
    await api('DELETE', 'managed/account/opened');
  });

  it.each([
    '_queryFilter=pin/$crypto/value/data+sw+"A"',
    '_queryFilter=!(shown/$crypto/value/data+pr)',
    '_queryFilter=true&_sortKeys=pin/$crypto/value/data',
  ])('are filtered and sorted by what is inside of them for nobody outside: %s', async (query) => {
    const asked = await api('GET', `managed/account?${query}`);
    expect([asked.status, asked.body.detail.id]).toEqual([403, 'QUERY_SECRET']);
    const checked = await api('POST', `managed/account?_action=triggerSyncCheck&${query}`);
    // An action sorts nothing.
    expect(checked.status).toBe(query.includes('_sortKeys') ? 200 : 403);
  });

  it('do not change when they come back as they were shown, and survive a PUT that cannot know them', async () => {
    const { body } = await api('GET', 'managed/account/a');
    expect((await api('PUT', 'managed/account/a', { body })).body._rev).toBe('0');
    const before = await stored('a');
    const changed = await api('PUT', 'managed/account/a', { body: { ...body, name: 'b' } });
    expect(changed.body).toMatchObject({ _rev: '1', name: 'b' });
    expect(await stored('a')).toEqual({ ...before, name: 'b' });
    const silent = await api('PUT', 'managed/account/a', { body: { name: 'c' } });
    expect(silent.body).not.toHaveProperty('pin');
    expect(await stored('a')).toEqual({
      name: 'c',
      hidden: before.hidden,
      password: before.password,
      note: 'psst',
    });
  });

  it('are encrypted anew only when they change', async () => {
    await api('PUT', 'managed/account/b', { body: { pin: '1' } });
    const before = (await stored('b')).pin;
    const replace = (value: string) =>
      api('PATCH', 'managed/account/b', { body: [{ operation: 'replace', field: '/pin', value }] });
    expect((await replace('1')).body._rev).toBe('0');
    expect((await replace('2')).body._rev).toBe('1');
    expect((await stored('b')).pin).not.toEqual(before);
  });

  it.each<[string, string, object]>([
    ['put', 'PUT', { name: { $crypto: { type: 'x-simple-encryption', value: {} } } }],
    ['put deep inside', 'PUT', { list: [{ deep: { $crypto: { type: 'salted-hash', value: {} } } }] }],
    [
      'patched',
      'PATCH',
      [{ operation: 'add', field: '/name', value: { $crypto: { type: 'salted-hash', value: {} } } }],
    ],
  ])('cannot be brought along as envelopes: %s', async (_title, method, body) => {
    const answer = await api(method, 'managed/account/a', { body });
    expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
  });

  it.each(['salted-hash', 'x-simple-encryption'])(
    'cannot be put together from parts by a patch: %s',
    async (type) => {
      await api('PUT', 'managed/account/parts', {
        body: { pin: '1', password: 'Secret-123', made: { type } },
      });
      const before = await stored('parts');
      const value = { algorithm: 'SHA-256', data: 'AAAA', cipher: 'AES/GCM/NoPadding', key: 'x', keyId: 'x' };
      const patches = [
        [
          { operation: 'replace', field: '/password', value: {} },
          { operation: 'add', field: '/password/$crypto', value: { type, value } },
        ],
        [
          { operation: 'add', field: '/made/value', value },
          { operation: 'add', field: '/hull', value: {} },
          { operation: 'copy', from: '/made', field: '/hull/$crypto' },
        ],
        [{ operation: 'add', field: '/made/$crypto', value: { type, value } }],
      ];
      for (const body of patches) {
        const answer = await api('PATCH', 'managed/account/parts', { body });
        expect([answer.status, answer.body.detail.id], JSON.stringify(body)).toEqual([
          400,
          'CRYPTO_FOREIGN_ENVELOPE',
        ]);
      }
      expect(await stored('parts')).toEqual(before);
    },
  );

  it('stay where a list around them gets shorter, and go nowhere else', async () => {
    const made = await evaluate(
      "svc.create('managed/account', 'listed', { kept: [{ n: 1 }, { n: 2, code: svc.encrypt('x', null, 'svc-sym-default') }] }).kept.length",
    );
    expect(made).toBe(2);
    const patch = (operation: object) => api('PATCH', 'managed/account/listed', { body: [operation] });
    expect((await patch({ operation: 'remove', field: '/kept', value: { n: 1 } })).status).toBe(200);
    const moved = await patch({ operation: 'move', from: '/kept/0/code', field: '/pin' });
    expect([moved.status, moved.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
    expect((await stored('listed')).kept).toEqual([{ n: 2, code: { $crypto: expect.any(Object) } }]);
  });

  it('of another property cannot be brought along either', async () => {
    const { body } = await api('PUT', 'managed/account/c', { body: { pin: '77' } });
    const answer = await api('PUT', 'managed/account/c', { body: { name: body.pin } });
    expect(answer.status).toBe(400);
  });

  it.each(['move', 'copy'])('cannot be shown by a patch that would %s them', async (operation) => {
    const answer = await api('PATCH', 'managed/account/a', {
      body: [{ operation, from: '/note', field: '/visible' }],
    });
    expect(answer.status).toBe(403);
  });

  it('may be handed on inside the server', async () => {
    await api('PUT', 'managed/account/d', { body: { pin: '9' } });
    await api('POST', 'managed/account/d?_action=copy');
    expect(await evaluate("svc.decrypt(svc.read('managed/account/copy').pin)")).toBe('9');
  });

  it('leave no trace in what a dry run reports', async () => {
    const { body } = await api('PUT', 'managed/account/e?_dryRun=true', {
      body: { note: 'psst', password: 'Secret-123', pin: '1234' },
    });
    expect(JSON.stringify(body)).not.toMatch(/psst|Secret-123|1234|password/);
  });

  it('are protected as the type asks now at the next check, though nothing else changed', async () => {
    await api('PUT', 'managed/account/f', { body: { pin: '5' } });
    await server.project.write('conf/managed.json', TYPES(null));
    await server.observed('config.changed', ({ id }) => id === 'managed');
    const checked = await api('POST', 'managed/account/f?_action=triggerSyncCheck');
    expect(checked.body).toMatchObject({ _rev: '1', pin: '5' });
    expect((await stored('f')).pin).toBe('5');
  });
});
