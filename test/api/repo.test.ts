import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('/repo', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [{ name: 'thing', onCreate: { type: 'text/javascript', source: 'object.hooked = true' } }],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

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
});
