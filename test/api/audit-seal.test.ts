import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditConfig } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { keepAuditMonths } from '#security/audit/audit-month-keeper.ts';
import { entrySigner } from '#security/audit/signed-entry.ts';
import {
  AuditKeys,
  AuditSealer,
  type AuditTopic,
  exportLines,
  type TrailRange,
  verifyAudit,
  verifyFile,
} from '#security/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const RING = {
  'svc-sym-default': [Buffer.alloc(32, 1).toString('base64')],
  'svc-audit-key': [Buffer.alloc(32, 2).toString('base64'), Buffer.alloc(32, 3).toString('base64')],
};
const keys = new AuditKeys(RING);
let server: TestServer;
let api: Api;
let db: Db;

beforeAll(async () => {
  server = await startTestServer({ environment: { SVC_KEYS: JSON.stringify(RING) } });
  api = server.api;
  db = server.database.db;
  for (let n = 0; n < 12; n++)
    await api('POST', 'managed/role', { body: { name: `role ${n}`, description: `über 1e21 \u2028 ${n}` } });
  await sealed();
  // Another seal.
  await api('POST', 'managed/role', { body: { name: 'one more', description: 'A role' } });
  await sealed();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const verify = (on: Db = db, from?: string) =>
  verifyAudit(on, keys, from === undefined ? {} : { from }, undefined);
/** Entries are sealed a moment after their commit. */
const sealed = () =>
  eventually(
    () => verify(),
    ({ waiting }) => waiting === 0,
  );
const kinds = ({ findings }: Awaited<ReturnType<typeof verify>>) => findings.map(({ kind }) => kind);

/** What an attacker with the rights of a node, or more, does to the tables; undone when it has been looked at. */
async function tampered<T>(look: (on: Db) => Promise<T>, ...statements: string[]): Promise<T> {
  const transaction = await db.startTransaction().execute();
  try {
    await sql`set local session_replication_role = replica`.execute(transaction);
    // Nobody seals meanwhile.
    await sql`select pg_advisory_xact_lock(hashtext('audit_seal'))`.execute(transaction);
    for (const statement of statements) {
      const { numAffectedRows } = await sql.raw(statement).execute(transaction);
      expect(Number(numAffectedRows), statement).toBeGreaterThan(0);
    }
    return await look(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

const FIRST = `(select ids[1] from audit_seal where cardinality(ids) > 0 order by number limit 1)`;

describe('the sealed trail', () => {
  it('fits itself, with an entry of everything that was done', async () => {
    const found = await sealed();
    expect(found).toMatchObject({ count: 0, findings: [], old: 0, head: { number: expect.any(Number) } });
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from audit_event`.execute(db);
    expect(found.entries).toBeGreaterThan(12);
    expect(found.entries).toBeLessThanOrEqual(rows[0]!.n);
  });

  it.each([
    [
      'an entry that was changed',
      'changed',
      [`update audit_event set event = event || '{"runAs":"x"}' where id = ${FIRST}`],
    ],
    [
      'one whose time was changed by a microsecond',
      'changed',
      [`update audit_event set recorded_at = recorded_at + interval '1 us' where id = ${FIRST}`],
    ],
    [
      'one whose user was changed beside its content',
      'changed',
      [`update audit_event set user_id = 'x' where id = ${FIRST}`],
    ],
    [
      'one that was said to be of another node',
      'changed',
      [`update audit_event set node = 'x' where id = ${FIRST}`],
    ],
    ['an entry that was deleted', 'deleted', [`delete from audit_event where id = ${FIRST}`]],
    [
      'one that took the place of another',
      'deleted',
      [`update audit_event set id = gen_random_uuid() where id = ${FIRST}`],
    ],
    [
      'an entry that was doubled',
      'inserted',
      [`insert into audit_event select * from audit_event where id = ${FIRST}`],
    ],
    [
      'one that was put in, with the signature of another',
      'inserted',
      [
        `insert into audit_event (id, topic, recorded_at, transaction_id, user_id, node, signature, event)
        select gen_random_uuid(), topic, recorded_at, transaction_id, user_id, node, signature, event
        from audit_event where id = ${FIRST}`,
      ],
    ],
    [
      'one that was put in as if it were older than seals',
      'inserted',
      [
        `insert into audit_event (id, topic, recorded_at, transaction_id, event)
        values (gen_random_uuid(), 'access', now() + interval '1 hour', 'x', '{}')`,
      ],
    ],
    [
      'a seal that was changed',
      'seal',
      [`update audit_seal set sealed_at = sealed_at + interval '1 s' where number = 1`],
    ],
    [
      'a seal out of which an entry was taken',
      'seal',
      [
        `delete from audit_event where id = ${FIRST}`,
        `update audit_seal set ids = ids[2:] where number = (select min(number) from audit_seal)`,
      ],
    ],
    [
      'a seal that was deleted with its entries',
      'missing-seals',
      [
        `delete from audit_event where id = any(select unnest(ids) from audit_seal where number = 1)`,
        'delete from audit_seal where number = 1',
      ],
    ],
  ] as const)('shows %s', async (_what, kind, statements) => {
    const found = await tampered(verify, ...statements);
    expect(kinds(found)).toContain(kind);
    expect(found.count).toBeGreaterThan(0);
  });

  it('names the entry', async () => {
    const { rows } = await sql<{ id: string }>`select ${sql.raw(FIRST)}::text as id`.execute(db);
    const { findings } = await tampered(verify, `update audit_event set event = '{}' where id = ${FIRST}`);
    expect(findings[0]).toMatchObject({ kind: 'changed', entry: rows[0]!.id, seal: expect.any(Number) });
    expect(findings[0]!.message).toContain(rows[0]!.id);
  });

  it('shows that its end was cut off to whoever has noted its head', async () => {
    const { head } = await sealed();
    const cut = [
      `delete from audit_event where id = any(select unnest(ids) from audit_seal where number = ${head!.number})`,
      `delete from audit_seal where number = ${head!.number}`,
    ];
    const found = await tampered((on) => verifyAudit(on, keys, {}, head!), ...cut);
    expect(kinds(found)).toEqual(['head']);
  });

  it('shows an entry that somebody without a key has put in and had sealed', async () => {
    const forged = '00000000-0000-7000-8000-000000000001';
    await sql`insert into audit_event (id, topic, transaction_id, user_id, node, signature, event)
              select ${forged}, topic, transaction_id, user_id, node, signature, event
              from audit_event where id = ${sql.raw(FIRST)}`.execute(db);
    const found = await eventually(sealed, ({ count }) => count > 0);
    expect(found.findings).toMatchObject([{ kind: 'changed', entry: forged }]);
    const { rows } = await sql<{ at: string }>`select clock_timestamp()::text as at`.execute(db);
    await api('POST', 'managed/role', { body: { name: 'later', description: 'A role' } });
    await sealed();
    expect(await verify(db, rows[0]!.at)).toMatchObject({ count: 0 });
  });

  it('says when the key ring lacks a key, and reads what a replaced one has signed', async () => {
    const rotated = {
      ...RING,
      'svc-audit-key': [Buffer.alloc(32, 9).toString('base64'), ...RING['svc-audit-key']],
    };
    const { rows } = await sql<{ at: string }>`select now()::text as at`.execute(db);
    const before = { to: rows[0]!.at };
    expect(
      (await verifyAudit(db, new AuditKeys(rotated), before, undefined)).findings.map(({ kind }) => kind),
    ).toEqual(['changed']);
    const other = { 'svc-audit-key': [Buffer.alloc(32, 7).toString('base64')] };
    const lacking = await verifyAudit(db, new AuditKeys(other), before, undefined);
    expect(new Set(kinds(lacking))).toEqual(new Set(['unknown-key']));
  });
});

describe('sealing', () => {
  it('waits for no transaction, and takes what a later one has committed first', async () => {
    const slow = await db.startTransaction().execute();
    const insert = (on: Db, id: string) =>
      sql`insert into audit_event (id, topic, transaction_id, event) values (${id}, 'sync', 'order', '{}')`.execute(
        on,
      );
    const [first, second] = ['00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000a2'];
    await insert(slow, first);
    await insert(db, second);
    const isSealed = (id: string) =>
      eventually(
        () => sql<{ n: number }>`select 1 as n from audit_seal where ${id}::uuid = any(ids)`.execute(db),
        ({ rows }) => rows.length === 1,
      );
    await isSealed(second);
    await slow.commit().execute();
    await isSealed(first);
  });

  it('is done by any node, for what another has left', async () => {
    const transaction = await db.startTransaction().execute();
    await sql`select pg_advisory_xact_lock(hashtext('audit_seal'))`.execute(transaction);
    await sql`insert into audit_event (id, topic, transaction_id, node, event)
              values (gen_random_uuid(), 'sync', 'left', 'a dead node', '{}')`.execute(db);
    const sealer = new AuditSealer({ database: server.database, keys, observe: () => {} });
    await sealer.runOnce();
    expect((await verify()).waiting).toBeGreaterThan(0);
    await transaction.rollback().execute();
    await eventually(
      () => sealer.runOnce().then(() => verify()),
      ({ waiting }) => waiting === 0,
    );
    const { rows } = await sql`select part from audit_seal where node = 'a dead node'`.execute(db);
    expect(rows).toEqual([{ part: 1 }]);
  });
});

describe('an export', () => {
  const lines = async (range: TrailRange, topic: AuditTopic | undefined) => {
    const all: string[] = [];
    for await (const line of exportLines(db, keys, range, topic)) all.push(line);
    return all;
  };
  const check = async (given: readonly string[]) => verifyFile(Readable.from(given), keys);

  it('is checked without a database', async () => {
    const all = await lines({}, undefined);
    const { entries } = await verify();
    expect(all.filter((line) => line.startsWith('{"kind":"entry"'))).toHaveLength(entries);
    const unsigned = ({ kind }: { kind: string }) => kind !== 'unsigned' && kind !== 'changed';
    expect((await check(all)).findings.filter(unsigned)).toEqual([]);
  });

  it('of one topic shows nothing of the others, and can be checked as well', async () => {
    const { rows } = await sql<{ at: string }>`select clock_timestamp()::text as at`.execute(db);
    await api('PUT', 'config/endpoint/exported', {
      body: { type: 'text/javascript', source: '"secret of config"' },
    });
    await sealed();
    const shown = await lines({ from: rows[0]!.at }, 'access');
    expect((await check(shown)).findings).toEqual([]);
    expect(shown.join()).not.toContain('secret of config');
    const whole = await lines({ from: rows[0]!.at }, undefined);
    expect(whole.join()).toContain('secret of config');

    const isEntry = (line: string) => line.startsWith('{"kind":"entry"');
    const at = whole.findIndex(isEntry);
    for (const broken of [
      whole.with(at, whole[at]!.replace('svc-admin', 'somebody')),
      whole.toSpliced(at, 1),
      whole.slice(0, -1),
      whole.toSpliced(at, 0, whole[at]!),
      whole.toSpliced(1, whole.length - 2),
      whole.with(at, 'nonsense'),
    ]) {
      expect((await check(broken)).count).toBeGreaterThan(0);
    }
  });
});

describe('pruning', () => {
  const config = (keepDays: number) => ({ keepDays }) as AuditConfig;
  const prune = (keepDays: number) =>
    keepAuditMonths({
      database: server.database,
      config: () => config(keepDays),
      keys,
      sign: entrySigner(keys, 'n1'),
    });
  const months = async () =>
    (
      await sql<{ name: string }>`select relid::text as name from pg_partition_tree('audit_event')
        where relid::text ~ '\\d' order by 1`.execute(db)
    ).rows.map(({ name }) => name);

  it('keeps ninety days, whatever is configured', async () => {
    const before = await months();
    await sql`create table audit_event_2001_01 partition of audit_event for values from ('2001-01-01') to ('2001-02-01')`.execute(
      db,
    );
    const recent = (
      await sql<{ name: string; from: string; to: string }>`
      select 'audit_event_' || to_char(first, 'YYYY_MM') as name, first::date::text as "from",
             (first + interval '1 month')::date::text as "to"
      from (select date_trunc('month', now() at time zone 'UTC') - interval '2 months' as first) month`.execute(
        db,
      )
    ).rows[0]!;
    await sql
      .raw(`create table ${recent.name} partition of audit_event
                   for values from ('${recent.from}T00:00Z') to ('${recent.to}T00:00Z')`)
      .execute(db);
    expect((await prune(1)).map(({ month }) => month)).toEqual(['2001-01']);
    expect(await months()).toEqual([recent.name, ...before].sort());
  });

  it('is recorded with the heads of what was dropped, and nothing seems to be missing then', async () => {
    const { count, head } = await sealed();
    await sql`create table audit_event_2001_02 partition of audit_event for values from ('2001-02-01') to ('2001-03-01')`.execute(
      db,
    );
    await sql`create table audit_seal_2001_02 partition of audit_seal for values from ('2001-02-01') to ('2001-03-01')`.execute(
      db,
    );
    await sql`insert into audit_event (id, topic, recorded_at, transaction_id, node, event)
              values (gen_random_uuid(), 'sync', '2001-02-15', 'old', 'n0', '{}')`.execute(db);
    await sealed();
    const { rows } = await sql<{ signature: string; number: number }>`
      select number, signature from audit_seal where node = 'n0'`.execute(db);
    expect(rows[0]!.number).toBeGreaterThan(head!.number);
    // The month of the last seal stays until there is another.
    expect(await prune(365)).toEqual([]);
    await api('POST', 'managed/role', { body: { name: 'newer', description: 'A role' } });
    await sealed();
    const pruned = await prune(365);
    expect(pruned).toEqual([
      { month: '2001-02', entries: 1, seals: 1, heads: [{ node: 'n0', part: 1, ...rows[0] }] },
    ]);
    const [record] = (
      await api(
        'GET',
        `audit/config?_queryFilter=${encodeURIComponent('operation eq "PRUNE"')}&_sortKeys=-_id`,
      )
    ).body.result;
    expect(record).toMatchObject({
      userId: 'system',
      objectId: 'audit',
      keepDays: 365,
      sealsPruned: 1,
      months: pruned,
    });
    expect((await sealed()).count).toBe(count);
    expect(await prune(365)).toEqual([]);
  });

  it('that the server has not done is no pruning', async () => {
    const found = await tampered(
      verify,
      `delete from audit_event where id = any(select unnest(ids) from audit_seal where number = 2)`,
      'delete from audit_seal where number = 2',
    );
    expect(kinds(found)).toContain('missing-seals');
  });

  it('is not believed of a record that nobody with a key has signed, wherever it is put', async () => {
    const forge = (signature: string) => `
      insert into audit_event (id, topic, transaction_id, user_id, object_id, node, signature, event)
      select '00000000-0000-7000-8000-00000000000f', 'config', 'system', 'system', 'audit', 'n0', ${signature},
             jsonb_build_object('operation', 'PRUNE', 'sealsPruned', number - 1)
      from audit_seal order by number desc limit 1`;
    // All seals but the last, which seem to be pruned, and the record kept from its seal.
    const statements = [
      `delete from audit_event where id in (select unnest(ids) from audit_seal where number < (select max(number) from audit_seal))`,
      `delete from audit_seal where number < (select max(number) from audit_seal)`,
    ];
    const waits = `insert into audit_unsealed (id, recorded_at, node, signature, stored_at)
      select id, recorded_at, node, signature, 'infinity' from audit_event where id = '00000000-0000-7000-8000-00000000000f'`;
    for (const signature of [`'made.up'`, `'unsigned.' || repeat('A', 43)`]) {
      const found = await tampered(verify, ...statements, forge(signature), waits);
      expect(kinds(found)).toContain('missing-seals');
      expect(found.findings.map(({ entry }) => entry)).toContain('00000000-0000-7000-8000-00000000000f');
    }
  });
});

describe('a node that runs', () => {
  it('says that the end was cut off, and leaves the gap', async () => {
    const { head } = await sealed();
    await sql`delete from audit_event where id = any(select unnest(ids) from audit_seal where number = ${head!.number})`.execute(
      db,
    );
    await sql`delete from audit_seal where number = ${head!.number}`.execute(db);
    await api('POST', 'managed/role', { body: { name: 'after the cut', description: 'A role' } });
    expect(await server.observed('audit.sealsMissing')).toEqual({
      kind: 'audit.sealsMissing',
      expected: head!.number,
      found: head!.number - 1,
    });
    expect(kinds(await sealed())).toContain('missing-seals');
  });
});
