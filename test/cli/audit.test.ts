import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const RING = JSON.stringify({ 'svc-audit-key': [Buffer.alloc(32, 5).toString('base64')] });

let server: TestServer;
const svc = (...args: string[]) => svcWith({ SVC_KEYS: RING, DATABASE_URL: server.database.url }, ...args);
const svcWith = (environment: Record<string, string>, ...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = {
      ...PROGRAM_ENVIRONMENT,
      SVC_PROJECT: server.project.location,
      SVC_DATA_DIR: join(server.project.location, '.cli'),
      ...environment,
    };
    const options = { cwd: ROOT, env, maxBuffer: 1e8 };
    execFile(process.execPath, ['src/main.ts', 'audit', ...args], options, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
const query = async <Row extends object>(text: string) => (await server.database.pool.query<Row>(text)).rows;
const sealed = () =>
  eventually(
    () => query('select from audit_unsealed limit 1'),
    (rows) => rows.length === 0,
  );

beforeAll(async () => {
  server = await startTestServer({ environment: { SVC_KEYS: RING } });
  for (let n = 0; n < 3; n++) {
    await server.api('POST', 'managed/role', { body: { name: `role ${n}`, description: 'A role' } });
    await sealed();
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('svc audit', () => {
  it('verifies the trail, and tells its head', async () => {
    const { code, out } = await svc('verify');
    expect([code, out]).toEqual([0, expect.stringContaining('The trail is as it was written.')]);
    expect(out).toMatch(/^Looked at \d+ entries under \d+ seals in 1 chains\.$/m);
    const head = /^Head: (\d+:\S+)$/m.exec(out)![1]!;
    expect((await svc('verify', '--head', head)).code).toBe(0);
    const other = await svc('verify', '--head', `${head}x`);
    expect([other.code, other.out]).toEqual([1, expect.stringContaining('the head that was noted')]);
  });

  it('exports lines of JSON, which can be verified without a database', async () => {
    const { code, out } = await svc('export');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    const values = lines.map((line) => JSON.parse(line) as { kind: string; event?: { objectId?: string } });
    expect(values[0]).toMatchObject({ kind: 'trail', version: 1 });
    expect(values.at(-1)).toMatchObject({ kind: 'end' });
    expect(values.filter(({ event }) => event?.objectId?.startsWith('managed/role/')).length).toBeGreaterThan(
      2,
    );

    const file = join(server.project.location, 'trail.ndjson');
    await writeFile(file, out);
    const offline = await svcWith({ SVC_KEYS: RING }, 'verify', '--file', file);
    expect([offline.code, offline.out]).toEqual([0, expect.stringContaining('as it was written')]);
    await writeFile(file, out.replace('"role 1"', '"role X"'));
    const changed = await svcWith({ SVC_KEYS: RING }, 'verify', '--file', file);
    expect([changed.code, changed.out]).toEqual([
      1,
      expect.stringMatching(/^entry \S+ \(.*\) was changed or forged$/m),
    ]);
  });

  it('takes what was sealed in a time, and one topic', async () => {
    const [{ at }] = (await query<{ at: string }>('select clock_timestamp()::text as at')) as [
      { at: string },
    ];
    await server.api('PUT', 'config/endpoint/late', { body: { type: 'text/javascript', source: '1' } });
    await sealed();
    const { out } = await svc('export', '--from', at, '--topic', 'config');
    const events = out
      .trimEnd()
      .split('\n')
      .flatMap((line) => (JSON.parse(line) as { event?: object }).event ?? []);
    expect(events).toMatchObject([{ eventName: 'CONFIG', objectId: 'endpoint/late' }]);
    expect((await svc('verify', '--from', at)).code).toBe(0);
    expect((await svc('export', '--to', '2001-01-01')).out.trimEnd().split('\n')).toHaveLength(2);
  });

  it('says what was called wrongly', async () => {
    const unknown = await svc('export', '--topic', 'activities');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("Did you mean 'activity'?")]);
    expect((await svc('verify', '--from', 'yesterday')).code).toBe(2);
    expect((await svc('nonsense')).code).toBe(2);
    expect(await svc('export', '-o', 'yaml')).toMatchObject({
      code: 2,
      err: expect.stringContaining('an export is lines of JSON'),
    });
    expect(JSON.parse((await svc('role', '-o', 'json')).out)).toMatchObject({
      owner: 'svc_audit_owner',
      service: 'svc',
      sql: expect.stringContaining('svc_audit_owner'),
    });
    const keyless = await svcWith({ DATABASE_URL: server.database.url }, 'verify');
    expect([keyless.code, keyless.err]).toEqual([1, expect.stringContaining('there was no key ring')]);
    const other = JSON.stringify({ 'svc-audit-key': [Buffer.alloc(32, 6).toString('base64')] });
    const lacking = await svcWith({ DATABASE_URL: server.database.url, SVC_KEYS: other }, 'verify');
    expect([lacking.code, lacking.out]).toEqual([1, expect.stringContaining('which the key ring lacks')]);
  });

  it('exits 1 and names the first entry that was changed', async () => {
    const [{ id }] = (
      await query<{ id: string }>(
        `update audit_event set event = event || '{"userId": "nobody"}' where object_id like 'managed/role/%' returning id`,
      )
    ).toSorted((one, other) => (one.id < other.id ? -1 : 1)) as [{ id: string }];
    const { code, out } = await svc('verify', '--json');
    const told = JSON.parse(out);
    expect([code, told.intact, told.count]).toEqual([1, false, 3]);
    expect(told.findings[0]).toMatchObject({ kind: 'changed', entry: id });
  });
});
