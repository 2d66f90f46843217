import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditKeys, verifyAudit } from '#security/index.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const RING = { 'svc-audit-key': [Buffer.alloc(32, 5).toString('base64')] };

// A pooler does not know the roles that are made here.
describe.skipIf((process.env['SVC_TEST_PGBOUNCER'] ?? '') !== '')('a role that writes the trail', () => {
  const name = randomBytes(4).toString('hex');
  const service = `svc_${name}`;
  const owner = `svc_audit_owner_${name}`;
  let empty: TestDatabase;
  let admin: pg.Client;
  let database: TestDatabase;
  let server: TestServer;

  const printed = (...flags: string[]) =>
    execFileSync(
      process.execPath,
      ['src/main.ts', 'audit', 'role', '--owner', owner, '--service', service, ...flags],
      { cwd: ROOT, encoding: 'utf8' },
    );

  beforeAll(async () => {
    empty = await createTestDatabase();
    admin = new pg.Client({ connectionString: empty.url });
    await admin.connect();
    await admin.query(`create role ${service} login password '${name}'`);
    await admin.query(`alter database ${empty.name} owner to ${service}`);
    const url = new URL(empty.url);
    [url.username, url.password] = [service, name];
    database = { ...empty, url: url.href };
    const environment = { SVC_KEYS: JSON.stringify(RING) };
    // Fills the database as its owner, as it has been so far.
    await (await startTestServer({ database, environment }))[Symbol.asyncDispose]();
    await admin.query(printed());
    await admin.query(printed());
    server = await startTestServer({ database, environment });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await admin.end();
    const dropping = new URL(empty.url);
    dropping.pathname = '/postgres';
    await empty[Symbol.asyncDispose]();
    const client = new pg.Client({ connectionString: dropping.href });
    await client.connect();
    await client.query(`drop role if exists ${service}, ${owner}`);
    await client.end();
  });

  it('can do its work: entries, seals, months', async () => {
    const { status, body } = await server.api('PUT', 'managed/role/r1', {
      body: { name: 'r1', description: 'A role' },
    });
    expect([status, body.name]).toEqual([201, 'r1']);
    await server.api('POST', 'audit/sync', { body: { by: 'hand' } });
    const { db } = server.database;
    const found = await eventually(
      () => verifyAudit(db, new AuditKeys(RING), {}, undefined),
      // What tells of a request comes in after its answer.
      ({ entries, waiting }) => waiting === 0 && entries > 2,
    );
    expect(found.count).toBe(0);
    await admin.query(`drop table svc_audit_trail.audit_event_${nextMonths().at(-1)}`);
    await server.database.pool.query('select audit_event_add_partitions()');
    const { rows } = await admin.query(
      `select tableowner as owner from pg_tables where tablename = 'audit_event_${nextMonths().at(-1)}'`,
    );
    expect(rows).toEqual([{ owner }]);
    expect(
      (await server.api('GET', 'audit/activity?_queryFilter=objectId%20eq%20%22managed/role/r1%22')).body
        .result,
    ).toMatchObject([{ operation: 'CREATE' }]);
    const failed = server.observations.filter(({ kind }) => kind === 'loop.failed');
    expect(failed).toEqual([]);
  });

  it('puts nothing in the place of the trail that is not found', async () => {
    const { pool, db } = server.database;
    await pool.query('create view public.audit_seal as select * from svc_audit_trail.audit_seal');
    const verified = verifyAudit(db, new AuditKeys(RING), {}, undefined);
    const found = await verified.finally(() => pool.query('drop view public.audit_seal'));
    expect(found.findings).toMatchObject([
      { kind: 'in-the-way', message: expect.stringContaining('public.audit_seal') },
    ]);
  });

  it.each([
    `update audit_event set event = '{}'`,
    'delete from audit_event',
    'truncate audit_event',
    'drop table audit_event',
    `update svc_audit_trail.audit_event_${nextMonths()[0]} set event = '{}'`,
    `delete from svc_audit_trail.audit_event_${nextMonths()[0]}`,
    `drop table svc_audit_trail.audit_event_${nextMonths()[0]}`,
    'delete from audit_seal',
    `update audit_seal set signature = ''`,
    'truncate audit_seal',
    'drop schema svc_audit_trail cascade',
    'alter table audit_event disable trigger all',
    'create function svc_audit_trail.f() returns int language sql return 1',
    "create or replace function svc_audit_trail.audit_keep_at_least() returns interval language sql return interval '0'",
    `grant ${owner} to ${service}`,
    `set role ${owner}`,
    `set session_replication_role = replica`,
  ])('cannot %s', async (statement) => {
    await expect(server.database.pool.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^42501$/),
    });
  });

  it('is enough for the commands that have to do with the trail, and for a change of keys', () => {
    const svc = (...args: string[]) =>
      execFileSync(process.execPath, ['src/main.ts', ...args], {
        cwd: ROOT,
        encoding: 'utf8',
        env: {
          ...PROGRAM_ENVIRONMENT,
          DATABASE_URL: database.url,
          SVC_KEYS: JSON.stringify(RING),
          SVC_PROJECT: server.project.location,
        },
      });
    expect(svc('audit', 'verify')).toContain('The trail is as it was written.');
    expect(svc('audit', 'export', '--topic', 'activity')).toContain('managed/role/r1');
    expect(svc('migrate', '--dry-run')).not.toContain('BREAKING');
    expect(svc('keys', 'rotate')).toContain('Nothing is under an older key any more');
  });

  it('prunes nothing that is younger than what is kept at least', async () => {
    const { rows } = await server.database.pool.query(`select audit_prune(interval '0') as pruned`);
    expect(rows).toEqual([{ pruned: [] }]);
    await admin.query(`create table svc_audit_trail.audit_event_2001_01 partition of svc_audit_trail.audit_event
                       for values from ('2001-01-01') to ('2001-02-01')`);
    await admin.query(`alter table svc_audit_trail.audit_event_2001_01 owner to ${owner}`);
    const old = await server.database.pool.query(`select audit_prune(interval '365 days') as pruned`);
    expect(old.rows).toMatchObject([{ pruned: [{ month: '2001-01' }] }]);
  });

  it('is given the trail for a migration, and parted from it again, while nodes work', async () => {
    const write = async (name: string) =>
      expect(
        (await server.api('PUT', `managed/role/${name}`, { body: { name, description: 'A role' } })).status,
      ).toBe(201);
    const { pool } = server.database;
    await admin.query(printed('--undo'));
    await write('r2');
    await pool.query('alter table audit_event add column later int');
    await pool.query('select audit_event_add_partitions()');
    await admin.query(printed());
    await write('r3');
    await expect(pool.query('alter table audit_event drop column later')).rejects.toMatchObject({
      code: '42501',
    });
    const found = await eventually(
      () => verifyAudit(server.database.db, new AuditKeys(RING), {}, undefined),
      ({ waiting }) => waiting === 0,
    );
    expect(found).toMatchObject({ count: 0, findings: [] });
  });
});

/** This month and the two that follow, as partitions are called. */
function nextMonths(): string[] {
  const now = new Date();
  return [0, 1, 2].map((n) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + n))
      .toISOString()
      .slice(0, 7)
      .replace('-', '_'),
  );
}
