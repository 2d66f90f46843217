import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { entrySigner } from '#security/audit/signed-entry.ts';
import { AuditKeys } from '#security/index.ts';
import { auditEvent } from '../../../src/security/audit/audit-event.ts';
import { checkEntry } from '../../../src/security/audit/stored-entry.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import '../../support/property-seed.ts';
import { insertEntries } from '../../../src/security/audit/audit-repository.ts';
import { findEntries, type PlacedEntry } from '../../../src/security/audit/trail-repository.ts';
import { runs } from '../../support/long.ts';

it('a signature holds for whatever an entry has said, as the database gives it back', async () => {
  await using database = await createMigratedDatabase();
  const keys = new AuditKeys({ 'svc-audit-key': [Buffer.alloc(32, 1).toString('base64')] });
  const sign = entrySigner(keys, 'n1');
  const hard = JSON.parse(
    '{"__proto__": {"a": -0}, "b": [1e21, 5e-324, 1e-7], "10": 1, "9": 2, "x": "\\u0000 \\ud800 \\u2028"}',
  );
  const names = fc.string({ unit: 'binary', maxLength: 20 });
  const facts = fc.dictionary(names, fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(facts, names, names, fc.boolean(), async (said, user, object, handMade) => {
      const who = { transactionId: user, userId: user };
      const entry = sign({ ...auditEvent('sync', who, said as JsonObject, object), handMade });
      await insertEntries(database.db, [entry]);
      const month = `${entry.recordedAt.slice(0, 7)}-01T00:00:00Z`;
      const [{ entry: found }] = (await findEntries(database.db, [entry.id], [month])) as [PlacedEntry];
      expect(checkEntry(keys, found)).toBe('right');
      expect(checkEntry(keys, { ...found, event: { ...(found.event as JsonObject), more: 1 } })).toBe(
        'wrong',
      );
    }),
    { numRuns: runs(60), examples: [[hard, 'u\0', 'o\ud800', true]] },
  );
});

it('a signature has 256 bits', () => {
  const keys = new AuditKeys({ 'svc-audit-key': [Buffer.alloc(32, 1).toString('base64')] });
  const who = { transactionId: 't', userId: 'ada' };
  const { signature } = entrySigner(keys, 'n1')({ ...auditEvent('sync', who, {}, null), handMade: false });
  expect(Buffer.from(signature.split('.').at(-1)!, 'base64url').length * 8).toBe(256);
});
