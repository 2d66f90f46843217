import { createCipheriv } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('/repo', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      environment: { SVC_KEYS: COMMON_RING },
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'user',
              schema: { properties: { password: { type: 'string', secureHash: { algorithm: 'SHA-256' } } } },
            },
            { name: 'thing', onCreate: { type: 'text/javascript', source: 'object.hooked = true' } },
            {
              name: 'keeper',
              schema: {
                properties: {
                  note: { type: 'object', scope: 'private' },
                  pin: { type: 'string', encryption: { key: 'svc-sym-default' } },
                  password: { type: 'string', scope: 'private', secureHash: { algorithm: 'SHA-256' } },
                },
              },
            },
          ],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('keeps raw objects at paths of any depth', async () => {
    const created = await api('PUT', 'repo/ui/notes/deep/n1', { body: { text: 'a' } });
    expect([created.status, created.body]).toEqual([201, { _id: 'n1', _rev: '0', text: 'a' }]);
    const updated = await api('PUT', 'repo/ui/notes/deep/n1', { body: { text: 'b' } });
    expect([updated.status, updated.body._rev]).toEqual([200, '1']);
    expect((await api('GET', 'repo/ui/notes/deep/n1')).body).toEqual(updated.body);
    const found = await api('GET', `repo/ui/notes/deep?_queryFilter=${encodeURIComponent('text eq "b"')}`);
    expect(found.body.result).toEqual([updated.body]);
  });

  it('shows managed objects as they are stored, and runs no hooks', async () => {
    await api('PUT', 'repo/managed/thing/t1', { body: { raw: true } });
    expect((await api('GET', 'managed/thing/t1')).body).toEqual({ _id: 't1', _rev: '0', raw: true });
  });

  it('deletes only with a revision', async () => {
    await api('PUT', 'repo/x/y', { body: {} });
    expect((await api('DELETE', 'repo/x/y')).status).toBe(409);
    expect((await api('DELETE', 'repo/x/y', { headers: { 'If-Match': '"9"' } })).status).toBe(412);
    expect((await api('DELETE', 'repo/x/y', { headers: { 'If-Match': '"0"' } })).status).toBe(200);
    expect((await api('GET', 'repo/x/y')).status).toBe(404);
  });

  it('does not patch, and refuses paths that name no object', async () => {
    expect((await api('PATCH', 'repo/x/y', { body: [{ operation: 'remove', field: '/a' }] })).status).toBe(
      501,
    );
    expect((await api('GET', 'repo/x')).status).toBe(400);
    expect((await api('GET', 'repo')).status).toBe(400);
    expect((await api('PUT', 'repo/x/z', { body: {}, headers: { 'If-Match': '*' } })).status).toBe(404);
  });

  it('creates with an id of the server, once', async () => {
    const { body } = await api('POST', 'repo/x', { body: { a: 1 } });
    expect(body._id).toMatch(/^[0-9a-f-]{36}$/);
    const again = await api('PUT', `repo/x/${body._id}`, { body: {}, headers: { 'If-None-Match': '*' } });
    expect(again.status).toBe(412);
  });

  describe('a secret in what is stored', () => {
    const PLACE = 'repo/managed/keeper/k';
    const stored = async () =>
      (await server.database.pool.query("select data from managed_object where id = 'k'")).rows[0].data;

    beforeAll(async () => {
      const body = { note: { text: 'psst' }, pin: '1234', password: 'Secret-123' };
      expect((await api('PUT', 'managed/keeper/k', { body })).status).toBe(201);
    });

    it('is shown to nobody outside: not by reads, queries, answers, rehearsals or the audit', async () => {
      const { note: _, pin, password } = await stored();
      const secrets = ['psst', pin.$crypto.value.data, password.$crypto.value.data];
      const read = (await api('GET', PLACE)).body;
      const answers = [
        read,
        (await api('GET', `${PLACE}?_fields=password/$crypto/value/data,note,pin`)).body,
        (await api('GET', 'repo/managed/keeper?_queryFilter=true')).body,
        (await api('PUT', `${PLACE}?_dryRun=true`, { body: { ...read, more: 1 } })).body,
        (await api('PUT', PLACE, { body: { ...read, more: 2 } })).body,
        (await api('DELETE', `${PLACE}?_dryRun=true`, { headers: { 'If-Match': '*' } })).body,
        (await api('GET', 'audit/activity?_queryFilter=true')).body,
      ];
      expect(answers[3].changes).toHaveLength(1);
      for (const answer of answers) {
        for (const secret of secrets) expect(JSON.stringify(answer)).not.toContain(secret);
      }
      expect(read).toMatchObject({
        note: { $crypto: { type: 'x-private' } },
        pin: { $crypto: { type: 'x-simple-encryption', value: { key: 'svc-sym-default' } } },
        password: { $crypto: { type: 'salted-hash', value: { algorithm: 'SHA-256' } } },
      });
    });

    it('stays as it is when its seal comes back, and its seal is of no use elsewhere', async () => {
      const before = await stored();
      const read = (await api('GET', PLACE)).body;
      const written = await api('PUT', PLACE, { body: { ...read, more: 3 } });
      expect(await stored()).toEqual({ ...before, more: 3 });
      expect((await api('PUT', PLACE, { body: { ...written.body, more: 4 } })).status).toBe(200);
      for (const body of [{ other: read.pin }, { pin: read.password }, { list: [{ deep: read.note }] }]) {
        for (const place of [PLACE, 'repo/managed/keeper/other']) {
          const answer = await api('PUT', place, { body });
          expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
        }
      }
      expect(await stored()).toEqual({ ...before, more: 4 });
    });

    it.each([
      '_queryFilter=password/$crypto/value/data sw "A"',
      '_queryFilter=!(pin/$crypto/value/data lt "M") and true',
      '_queryFilter=note/text eq "psst"',
      '_queryFilter=note pr',
      '_queryFilter=true&_sortKeys=password/$crypto/value/data',
      '_queryFilter=true&_sortKeys=-note/text',
    ])('is found out by no %s', async (query) => {
      const asked = query.replaceAll(' ', '%20').replaceAll('"', '%22');
      const answer = await api('GET', `repo/managed/keeper?${asked}`);
      expect([answer.status, answer.body.detail.id]).toEqual([403, 'QUERY_SECRET']);
    });

    it('is seen by scripts of the server', async () => {
      const source = `var it = svc.read('${PLACE}'); [it.note.text, svc.decrypt(it.pin), svc.matches('Secret-123', it.password)]`;
      const { body } = await api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source },
      });
      expect(body).toEqual(['psst', '1234', true]);
    });
  });

  describe('what a server in Java has encrypted, without a MAC', () => {
    const key = Buffer.from(JSON.parse(COMMON_RING)['svc-sym-default'][0], 'base64');
    const iv = Buffer.alloc(16, 7);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const data = Buffer.concat([cipher.update('"4711"'), cipher.final()]).toString('base64');
    const value = {
      cipher: 'AES/CBC/PKCS5Padding',
      key: 'svc-sym-default',
      iv: iv.toString('base64'),
      data,
    };
    const envelope = { $crypto: { type: 'x-simple-encryption', value } };

    it('is taken from administrators who move it here, opened for the server, and shown as a seal', async () => {
      const put = await api('PUT', 'repo/managed/keeper/moved', { body: { pin: envelope } });
      expect(put.status).toBe(201);
      expect(JSON.stringify(put.body)).not.toContain(data);
      const source = "svc.decrypt(svc.read('managed/keeper/moved').pin)";
      const { body } = await api('POST', 'script?_action=eval', {
        body: { type: 'text/javascript', source },
      });
      expect(body).toBe('4711');
      const shown = JSON.stringify((await api('GET', 'managed/keeper/moved')).body);
      expect(shown).toMatch(/"sealed"/);
      expect(shown).not.toContain(data);
    });

    it('is taken from nobody by another way, nor by whoever is no administrator', async () => {
      const answer = await api('PUT', 'managed/keeper/other', { body: { pin: envelope } });
      expect([answer.status, answer.body.detail.id]).toEqual([400, 'CRYPTO_FOREIGN_ENVELOPE']);
      const user = {
        userName: 'ina',
        givenName: 'Ina',
        sn: 'Ott',
        mail: 'ina@example.com',
        password: 'Passw0rd-of-ina',
      };
      await api('PUT', 'managed/user/ina', { body: user });
      const hers = await api('PUT', 'repo/managed/keeper/hers', {
        user: 'ina',
        password: user.password,
        body: { pin: envelope },
      });
      expect(hers.status).toBe(403);
    });
  });
});
