import { Readable } from 'node:stream';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, runUnitOfWork } from '#database/index.ts';
import { entrySigner } from '#security/audit/signed-entry.ts';
import { AuditKeys, AuditSealer, exportLines, verifyAudit, verifyFile } from '#security/index.ts';
import { auditEvent } from '../../../src/security/audit/audit-event.ts';
import { auditInserts, insertEntries } from '../../../src/security/audit/audit-repository.ts';
import { AuditTrail } from '../../../src/security/audit/audit-trail.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import '../../support/property-seed.ts';
import { runs } from '../../support/long.ts';

const keys = new AuditKeys({ 'svc-audit-key': [Buffer.alloc(32, 1).toString('base64')] });
const sign = entrySigner(keys, 'n1');
const CONSTRAINTS = ['audit_event', 'audit_unsealed', 'audit_seal'].map(
  (table) => `alter table ${table} drop constraint ${table}_is_sound`,
);
let database: Database & AsyncDisposable;
let sealer: AuditSealer;
const observations: string[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  sealer = new AuditSealer({ database, keys, observe: ({ kind }) => observations.push(kind) });
  await write();
  await sealer.runOnce();
});
afterAll(() => database?.[Symbol.asyncDispose]());

/** An entry of the server. */
async function write(): Promise<string> {
  const entry = sign(auditEvent('sync', { transactionId: 't', userId: 'u' }, { a: 1 }));
  await insertEntries(database.db, [entry]);
  return entry.id;
}
const verify = () => verifyAudit(database.db, keys, {}, undefined);
const isSealed = async (id: string) =>
  (await sql`select from audit_seal where ${id}::uuid = any(ids) and node = 'n1'`.execute(database.db)).rows
    .length > 0;

it.each([
  `insert into audit_seal values (9223372036854775807, now(), 'n1', 1, now(), '{}', '', '', '')`,
  `insert into audit_seal values (1, now(), 'n1', 0, now(), '{}', '', '', '')`,
  `insert into audit_seal values (1, 'infinity', 'n1', 1, now(), '{}', '', '', '')`,
  `insert into audit_seal values (1, now(), 'n1', 1, 'infinity', '{}', '', '', '')`,
  `insert into audit_seal values (1, now(), repeat('n', 401), 1, now(), '{}', '', '', '')`,
  `insert into audit_seal values (1, now(), 'n1', 1, now(), array_fill(gen_random_uuid(), '{1001}'), '', '', '')`,
  `insert into audit_event values (gen_random_uuid(), 'sync', 'infinity', '', '', '', '{}')`,
  `insert into audit_event values (gen_random_uuid(), 'sync', '0044-03-15 BC', '', '', '', '{}')`,
  `insert into audit_event values (gen_random_uuid(), 'sync', now(), '', '', '', '5')`,
  `insert into audit_event values (gen_random_uuid(), 'sync', now(), '', '', '', '{}', repeat('n', 401))`,
  `insert into audit_unsealed values (gen_random_uuid(), 'infinity', 'n1', '')`,
])('the database refuses what no node can have written: %s', async (statement) => {
  await expect(sql.raw(statement).execute(database.db)).rejects.toMatchObject({ code: '23514' });
});

it('one row with the highest number and part that there are keeps nobody from sealing', async () => {
  const month = `date_trunc('month', now(), 'UTC')`;
  const { head } = await verify();
  await sql
    .raw(`insert into audit_seal values
      (9007199254740991, ${month}, 'n1', 2147483647, now(), '{}', '', '', 'x.y'),
      (${head!.number + 1}, ${month}, 'n1', 2, now(), '{}', '', '', 'x.y')`)
    .execute(database.db);
  const ids = [await write()];
  await sealer.runOnce();
  ids.push(await write());
  // A node that has just been started.
  await new AuditSealer({ database, keys, observe: () => {} }).runOnce();
  expect(await Promise.all(ids.map(isSealed))).toEqual([true, true]);
  const found = await verify();
  expect(found.head!.number).toBe(head!.number + 2);
  expect(found.findings.map(({ kind }) => kind)).toEqual(['unknown-key', 'chain', 'unknown-key', 'chain']);
});

it('tells when somebody keeps all nodes from sealing', async () => {
  await sql`update audit_unsealed set stored_at = now()`.execute(database.db);
  const transaction = await database.db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtext('audit_seal'))`.execute(transaction);
  await write();
  await sealer.runOnce();
  expect(observations).not.toContain('audit.sealingHeldUp');
  await sql`update audit_unsealed set stored_at = now() - interval '1 hour'`.execute(database.db);
  await sealer.runOnce();
  await sealer.runOnce();
  expect(observations.filter((kind) => kind === 'audit.sealingHeldUp')).toHaveLength(1);
  expect((await verify()).findings.map(({ kind }) => kind)).toContain('waiting');
  await transaction.rollback().execute();
  await sealer.runOnce();
  expect((await verify()).findings.map(({ kind }) => kind)).not.toContain('waiting');
});

it('what a trigger keeps from the trail is stored with nothing, lost is counted, and holds up no other', async () => {
  await sql
    .raw(`create function hide() returns trigger language plpgsql as $$ begin
            return case when new.user_id = 'hidden' then null else new end; end $$;
          create trigger hide before insert on audit_event for each row execute function hide()`)
    .execute(database.db);
  const entry = (userId: string) => auditEvent('sync', { transactionId: 'trigger', userId }, {});
  const stored = async () =>
    (await sql`select from audit_event where transaction_id = 'trigger'`.execute(database.db)).rows.length;
  const entries = [entry('seen'), entry('hidden')].map(sign);
  await expect(insertEntries(database.db, entries)).rejects.toThrow('is there a trigger on their table');
  const together = runUnitOfWork(database, {}, (unitOfWork) => unitOfWork.writeAll(auditInserts, entries));
  await expect(together).rejects.toThrow('is there a trigger on their table');
  expect(await stored()).toBe(0);

  const said: string[] = [];
  const trail = new AuditTrail({
    database,
    config: () => ({ eventTopics: { authentication: { enabled: true } } }) as never,
    sign,
    observe: ({ kind }) => said.push(kind),
  });
  for (const principal of ['seen', 'hidden', 'seen']) {
    trail.observe({
      kind: 'login.attempted',
      result: 'FAILED',
      principal,
      address: '',
      module: 'm',
      requestId: 'trigger',
    } as never);
  }
  await trail.flush();
  expect([await stored(), trail.lost, said]).toEqual([2, 1, ['loop.failed']]);
  await sql.raw('drop function hide cascade').execute(database.db);
});

const TIMES = [
  'infinity',
  '-infinity',
  '4713-11-24 BC',
  '0044-03-15 BC',
  '294276-12-31',
  '1970-01-01',
  'now',
];
const time = fc.constantFrom(...TIMES, '2099-05-01');
const text = fc.oneof(
  fc.constantFrom('', 'n1', 'audit', 'config', 'x.y', `unsigned.${'A'.repeat(43)}`, 'x'.repeat(200_000)),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
);
const json = fc.constantFrom(
  ...['null', '5', '"x"', '[]', '["operation", "handMade"]', '{}', '{"a": 1e400}', '{"operation": "PRUNE"}'],
  '{"operation": "PRUNE", "sealsPruned": 1e300, "months": 5}',
  `${'['.repeat(4_000)}${']'.repeat(4_000)}`,
  JSON.stringify({ text: 'x'.repeat(300_000) }),
);
const NIL = '00000000-0000-0000-0000-000000000000';
const id = fc.oneof(fc.constantFrom(NIL, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), fc.uuid());
const integer = (bits: bigint) =>
  fc.oneof(
    fc.constantFrom(-(2n ** (bits - 1n)), -1n, 0n, 1n, 2n, 3n, 4n, 2n ** (bits - 1n) - 1n),
    fc.constant(bits === 64n ? 2n ** 53n : 1_000n),
  );
const ids = fc.oneof(
  id.map((one) => `{${one}}`),
  fc.constantFrom('{}', '{NULL}', `{{${NIL},${NIL}},{${NIL},NULL}}`, `[5:6]={${NIL},${NIL}}`),
  fc.constant(`{${Array(3_000).fill(NIL).join()}}`),
);
const topic = fc.constantFrom('sync', 'config', 'access');
const entry = fc.tuple(id, topic, time, text, text, text, json, text, fc.option(text));
const unsealed = fc.tuple(id, time, text, fc.option(text), time);
const seal = fc.tuple(integer(64n), time, text, integer(32n), time, ids, text, text, text);
const forged = fc.array(
  fc.oneof(
    entry.map((row) => ['audit_event', row] as const),
    unsealed.map((row) => ['audit_unsealed', row] as const),
    seal.map((row) => ['audit_seal', row] as const),
  ),
  { minLength: 1, maxLength: 6 },
);

it('whatever stands in the tables, what the server writes is sealed, and verifying and exporting end with findings', async () => {
  for (const statement of CONSTRAINTS) await sql.raw(statement).execute(database.db);
  await fc.assert(
    fc.asyncProperty(forged, async (rows) => {
      for (const [table, values] of rows) {
        const given = values.map((value) => (value === null ? null : String(value)));
        const places = given.map((_, index) => `$${index + 1}`).join();
        await database.pool.query(`insert into ${table} values (${places}) on conflict do nothing`, given);
      }
      const own = await write();
      await sealer.runOnce();
      expect(await isSealed(own)).toBe(true);
      const found = await verify();
      expect(found.count).toBeGreaterThan(0);
      expect(found.findings.every(({ entry: named }) => named !== own)).toBe(true);
    }),
    { numRuns: runs(40) },
  );
  const lines: string[] = [];
  for await (const line of exportLines(database.db, keys, {}, undefined)) lines.push(line);
  const read = await verifyFile(Readable.from(lines), keys);
  expect(read.count).toBeGreaterThan(0);
  expect(read.findings.filter(({ kind }) => kind === 'file')).toEqual([]);
});
