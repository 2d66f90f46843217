import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const MOST_INDENTED = 8_388_608;

describe('an answer that would be far larger than its object', () => {
  let server: TestServer;
  let path: string;
  /** Each of them holds the next ones. */
  let pointers: string[];

  beforeAll(async () => {
    server = await startTestServer();
    let inner: unknown = Array.from({ length: 60_000 }, () => '');
    const names = Array.from({ length: 200 }, (_, level) => `k${level}`);
    for (const name of names.toReversed()) inner = { [name]: inner };
    pointers = names.map((_, level) => `note/${names.slice(0, level + 1).join('/')}`);
    const made = await server.api('POST', 'repo/wide', { body: { note: inner } as object });
    expect(made.status).toBe(201);
    path = `repo/wide/${made.body._id}`;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const told = { code: 413, detail: { id: 'ANSWER_TOO_LARGE', allowed: MOST_INDENTED } };

  it('is refused before it is written: with a blank for each level and line', async () => {
    expect((await server.api('GET', path)).status).toBe(200);
    expect((await server.api('GET', `${path}?_prettyPrint=true`)).body).toMatchObject(told);
  });

  it('is refused before it is written: with parts that lie in each other', async () => {
    const fields = pointers.slice(0, 60).join(',');
    expect((await server.api('GET', `${path}?_fields=${fields}`)).body).toMatchObject(told);
  });

  it('has each part once where parts stand where they were', async () => {
    const fields = [...pointers.slice(0, 50), ...pointers.slice(0, 50)].join(',');
    const [whole, asked] = [
      await server.api('GET', path),
      await server.api('GET', `${path}?_nestedFields=true&_fields=${fields}`),
    ];
    expect(asked.body.note).toEqual(whole.body.note);
  });

  it('is no error of a change, which is stored, and shown without blanks', async () => {
    const { _id, _rev, ...content } = (await server.api('GET', path)).body;
    const changed = await server.api('PUT', `${path}?_prettyPrint=true`, { body: { ...content, more: 'x' } });
    expect([changed.status, changed.body.more]).toEqual([200, 'x']);
    expect(changed.headers.get('warning')).toContain('shown without _prettyPrint');
    const after = (await server.api('GET', path)).body;
    expect([after.more, after._rev === _rev]).toEqual(['x', false]);
  });
});

describe('a client that has been told that it is too slow, and does not close its side', () => {
  it('keeps neither its connection nor the room for its body', async () => {
    await using server = await startTestServer({ environment: { SVC_REQUEST_TIMEOUT: '1' } });
    const { hostname, port } = new URL(server.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    await once(socket, 'connect');
    socket.resume();
    socket.on('error', () => {});
    const authorization = Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64');
    socket.write(
      `POST /svc/managed/user HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Basic ${authorization}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    );
    const bodies = async () =>
      Number(/^svc_http_bodies_bytes (\d+)/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]);
    await eventually(bodies, (bytes) => bytes > 0);
    await once(socket, 'end');
    await eventually(bodies, (bytes) => bytes === 0);
    // Only a connection that is gone says so to whoever writes.
    const isGone = new Promise((resolve) => socket.once('close', resolve));
    while (!socket.destroyed) {
      socket.write('x');
      await Promise.race([isGone, delay(20)]);
    }
    await isGone;
  });
});
