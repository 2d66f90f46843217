import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openHouse } from '#cli/import/houses/open-house.ts';
import { GROUPS } from '#cli/import/repository/import-source.ts';
import { runImport } from '#cli/import/repository/run-import.ts';
import { openCrypto, readKeyRing } from '#crypto/index.ts';
import { ManagedTypes } from '#managed/index.ts';
import { shippedAuthentication } from '../../support/authentication-config.ts';
import { COMMON_RING } from '../../support/key-ring.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';

const text = { type: 'string' };
const types = new ManagedTypes();
types.replace([{ name: 'user', schema: { properties: { userName: text, sn: text, mail: text } } }]);

it('brings nobody by whose name somebody else logs in here, and says so before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-names-'));
  await using database = await createMigratedDatabase();
  const { text: ring } = await readKeyRing({ variable: COMMON_RING, dataDirectory: folder });
  const crypto = openCrypto({ keyRing: ring });
  const place = join(folder, 'names.ldif');
  const person = (uid: string) =>
    `dn: uid=${uid},dc=x\nobjectClass: person\nuid: ${uid}\nsn: ${uid}\nmail: ${uid}@x.org\n`;
  await writeFile(place, ['bob', 'B\u043eb', 'svc-admin', 'eve'].map(person).join('\n'));
  const remarksOf = async (isApplied: boolean) => {
    const given = { place, password: undefined, schema: undefined, user: undefined, type: undefined };
    await using source = await openHouse(given, { types, crypto, projectLocation: folder });
    const how = { isApplied, deletes: false, isQuick: false, keepDays: 365, role: 'svc-authorized' };
    const authentication = shippedAuthentication();
    const only = new Set(GROUPS);
    const { remarks } = await runImport({
      ...how,
      source,
      database,
      types,
      crypto,
      ring,
      authentication,
      only,
    });
    return remarks.filter(({ isLeft }) => isLeft).map(({ count, reason }) => `${count}: ${reason}`);
  };
  await sql`insert into managed_object (type, id, rev, data)
    values ('user', 'own', 0, '{"userName":"Bob"}')`.execute(database.db);
  await sql`insert into login_name (key, name, collection, id)
    values ('bob', 'bob', 'managed/user', 'own')`.execute(database.db);
  for (const isApplied of [false, true]) {
    expect((await remarksOf(isApplied)).toSorted()).toEqual(
      [
        '1: Its name is that of a user of authentication.json, of the administrator or of nobody',
        '2: Somebody here logs in by its name, or one that looks the same: give one of them another name',
      ].toSorted(),
    );
  }
  const { rows } = await sql<{ name: string }>`
    select data->>'userName' as name from managed_object order by 1`.execute(database.db);
  expect(rows.map(({ name }) => name).sort()).toEqual(['Bob', 'eve']);
  // What came from there is as alike as it was there.
  await sql`update import_item set id = 'own' where kind = 'managed'`.execute(database.db);
  expect((await remarksOf(false)).filter((told) => told.includes('Somebody here'))).toEqual([]);
  await rm(folder, { recursive: true });
});
