import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const { asNobody, createUser } = callersOf(() => server.api);
const asAda = callerAs(() => server.api, 'ada');

beforeAll(async () => {
  server = await startTestServer();
  await createUser('ada');
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('GET /info/error', () => {
  it('says what an error means to everybody who is somebody', async () => {
    const expected = {
      _id: 'HTTP_UNKNOWN_PARAMETER',
      codes: [400],
      messages: ["There is no parameter '…'"],
      pages: expect.any(Array),
    };
    for (const caller of [server.api, asAda]) {
      const { status, body } = await caller('GET', 'info/error/HTTP_UNKNOWN_PARAMETER');
      expect([status, body]).toEqual([200, expect.objectContaining(expected)]);
      expect(body.hints).not.toEqual([]);
    }
    expect((await asNobody('GET', 'info/error/HTTP_UNKNOWN_PARAMETER')).status).toBe(401);
  });

  it('finds errors for whoever is somebody', async () => {
    const path = `info/error?_queryFilter=${encodeURIComponent('_id sw "ACCESS_"')}&_fields=_id`;
    for (const caller of [server.api, asAda]) {
      const { body } = await caller('GET', path);
      expect(body.result).toContainEqual({ _id: 'ACCESS_DENIED' });
      expect(body.result.every(({ _id }: { _id: string }) => _id.startsWith('ACCESS_'))).toBe(true);
    }
    expect((await asNobody('GET', path)).status).toBe(401);
  });

  it('knows the errors that it answers', async () => {
    const { status, body } = await asAda('GET', 'info/error/ACCESS_DENYED');
    expect([status, body.detail]).toEqual([
      404,
      { id: 'INFO_NO_ERROR', hint: "Did you mean 'ACCESS_DENIED'?" },
    ]);
    expect((await server.api('GET', `info/error/${body.detail.id}`)).status).toBe(200);
  });
});
