import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const loose = (source: string) => ({ type: 'text/javascript', source, transactional: false });

const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'note' },
      // The write has its transaction open when the hook runs, and each call of the hook needs one of its own.
      { name: 'noted', onUpdate: loose("svc.create('managed/note', null, { of: object._id })") },
      {
        name: 'deep',
        onUpdate: loose("svc.update('managed/noted/' + object.target, null, { n: object.n })"),
      },
      {
        name: 'looking',
        onUpdate: {
          type: 'text/javascript',
          source: "svc.query('scheduler/trigger', { _queryFilter: 'true' })",
        },
      },
      {
        name: 'failing',
        onUpdate: loose("svc.create('managed/note', 'of-failing', {}); throw { code: 409, message: 'no' }"),
      },
    ],
  },
};

describe('a hook outside the transaction of its write, with few connections', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: FILES,
      environment: { SVC_DATABASE_POOL: '2', SVC_SCRIPT_THREADS: '1' },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const MANY = 12;
  const all = async (type: string, contents: (n: number) => object) => {
    const ids = Array.from({ length: MANY }, (_, n) => `${type}${n}`);
    for (const [n, id] of ids.entries()) await api('PUT', `managed/${type}/${id}`, { body: contents(n) });
    return Promise.all(
      ids.map(async (id, n) => {
        const body = { ...contents(n), n: 1 };
        return (await api('PUT', `managed/${type}/${id}`, { body, headers: { 'If-Match': '*' } })).status;
      }),
    );
  };
  const fine = Array.from({ length: MANY }, () => 200);

  it('does not keep itself from a connection, however many run at once', async () => {
    expect(await all('noted', () => ({}))).toEqual(fine);
    const { body } = await api('GET', 'managed/note?_queryFilter=of+sw+"noted"&_pageSize=100');
    expect(body.result).toHaveLength(MANY);
  });

  it('nor when its calls run such hooks themselves', async () => {
    expect(await all('deep', (n) => ({ target: `noted${n}` }))).toEqual(fine);
  });

  it('nor a hook inside the transaction that asks for what is read outside of it', async () => {
    expect(await all('looking', () => ({}))).toEqual(fine);
  });

  it('keeps what it did when it fails', async () => {
    await api('PUT', 'managed/failing/f', { body: {} });
    const failed = await api('PUT', 'managed/failing/f', { body: { n: 1 }, headers: { 'If-Match': '*' } });
    expect(failed.status).toBe(409);
    expect((await api('GET', 'managed/note/of-failing')).status).toBe(200);
  });
});
