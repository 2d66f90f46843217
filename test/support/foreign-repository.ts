import { createCipheriv, createHash } from 'node:crypto';
import pg from 'pg';
import type { JsonObject } from '#json/index.ts';

/** The key under which the other server has encrypted. */
export const FOREIGN_KEY = Buffer.alloc(16, 7);
export const FOREIGN_ALIAS = 'openidm-sym-default';

/** As a server of the family stores an encrypted text. */
export function foreignEnvelope(text: string, key = FOREIGN_KEY): JsonObject {
  const iv = Buffer.alloc(16, 3);
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  const data = Buffer.concat([cipher.update(JSON.stringify(text)), cipher.final()]).toString('base64');
  const value = { cipher: 'AES/CBC/PKCS5Padding', data, iv: iv.toString('base64'), key: FOREIGN_ALIAS };
  return { $crypto: { type: 'x-simple-encryption', value } };
}

/** As it stores a hash: digest and salt in one. */
export function foreignHash(text: string): JsonObject {
  const salt = Buffer.alloc(16, 5);
  const digest = createHash('sha256').update(text).update(salt).digest();
  const value = { algorithm: 'SHA-256', data: Buffer.concat([digest, salt]).toString('base64') };
  return { $crypto: { type: 'salted-hash', value } };
}

/** Writes to the database of the other server, each statement with `?` for values. */
export type Write = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** A schema of Postgres, as `Write`. */
export async function postgresWriter(url: string): Promise<{ write: Write; end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create schema openidm; set search_path = openidm');
  return {
    write: (text, values = []) => {
      let number = 0;
      return client.query(
        text.replace(/\?/g, () => `$${++number}`),
        [...values],
      );
    },
    end: () => client.end(),
  };
}

const generic = (name: string, kind: 'postgres' | 'mysql') =>
  kind === 'postgres'
    ? `create table ${name} (id bigserial primary key, objecttypes_id bigint not null, objectid varchar(255) not null,
         rev varchar(38) not null, fullobject json, unique (objecttypes_id, objectid))`
    : `create table ${name} (id bigint unsigned not null auto_increment primary key, objecttypes_id bigint unsigned not null,
         objectid varchar(255) not null, rev varchar(38) not null, fullobject mediumtext, unique (objecttypes_id, objectid))
         default charset utf8mb4 collate utf8mb4_bin`;

/** The tables that matter, as servers since 5.0 have them. */
export async function makeForeignTables(write: Write, kind: 'postgres' | 'mysql'): Promise<void> {
  const number = kind === 'postgres' ? 'bigserial' : 'bigint unsigned not null auto_increment';
  const binary = kind === 'postgres' ? '' : 'default charset utf8mb4 collate utf8mb4_bin';
  await write(`create table objecttypes (id ${number} primary key, objecttype varchar(255))`);
  for (const name of [
    'managedobjects',
    'genericobjects',
    'configobjects',
    'schedulerobjects',
    'relationships',
  ]) {
    await write(generic(name, kind));
  }
  await write(`create table links (objectid varchar(38) primary key, rev varchar(38) not null, linktype varchar(255) not null,
    linkqualifier varchar(255) not null, firstid varchar(255) not null, secondid varchar(255) not null) ${binary}`);
  await write(`create table internaluser (objectid varchar(255) primary key, rev varchar(38) not null, pwd varchar(510),
    roles varchar(1024)) ${binary}`);
  await write(`create table internalrole (objectid varchar(255) primary key, rev varchar(38) not null,
    description varchar(510)) ${binary}`);
  await write(
    `create table auditaccess (objectid varchar(56) primary key, activitydate varchar(29)) ${binary}`,
  );
}

const PAGE = 1_000;

/** Objects of one type; `_rev` is theirs, or 0. */
export async function putForeign(
  write: Write,
  table: string,
  type: string,
  objects: readonly JsonObject[],
): Promise<void> {
  await write(
    'insert into objecttypes (objecttype) select ? where not exists (select 1 from objecttypes where objecttype = ?)',
    [type, type],
  );
  for (let start = 0; start < objects.length; start += PAGE) {
    const page = objects.slice(start, start + PAGE);
    await write(
      `insert into ${table} (objecttypes_id, objectid, rev, fullobject) values ${page
        .map(() => '((select id from objecttypes where objecttype = ?), ?, ?, ?)')
        .join()}`,
      page.flatMap((object) => [type, object['_id'], object['_rev'] ?? '0', JSON.stringify(object)]),
    );
  }
}

/** Changes one, which raises its revision. */
export async function changeForeign(write: Write, table: string, object: JsonObject): Promise<void> {
  await write(`update ${table} set fullobject = ?, rev = ? where objectid = ?`, [
    JSON.stringify(object),
    object['_rev'],
    object['_id'],
  ]);
}

/** A job of Quartz as it is serialised, as far as anybody reads it here: its map has the schedule as a text. */
export function foreignJob(id: string, schedule: JsonObject, isPaused = false): JsonObject {
  const text = (value: string) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([Buffer.from([0x74]), length, bytes]);
  };
  const serialized = Buffer.concat([
    Buffer.from([0xac, 0xed, 0x00, 0x05]),
    text('schedule.config'),
    text(JSON.stringify(schedule)),
    text('scheduler.invokeService'),
  ]).toString('base64');
  return { _id: `scheduler-service-group_$x$x$_${id}`, serialized, key: id, paused: isPaused };
}

export const PEOPLE = 6_000;

const ref = (collection: string, id: string) => `${collection}/${id}`;

/** Users, roles and what is between them; internal users, links, schedules and what does not come. */
export async function fillForeign(write: Write): Promise<void> {
  const people = Array.from({ length: PEOPLE }, (_, at) => ({
    _id: `p${String(at).padStart(5, '0')}`,
    userName: `person${at}`,
    sn: at % 2 === 0 ? 'Even' : 'Odd',
    mail: `person${at}@example.com`,
  }));
  await putForeign(write, 'managedobjects', 'managed/user', [
    {
      _id: 'ann',
      _rev: '7',
      userName: 'ann',
      sn: 'Ames',
      mail: 'ann@example.com',
      password: foreignEnvelope('Old-Secret-1'),
      effectiveRoles: [{ _ref: 'managed/role/stale' }],
    },
    {
      _id: 'ben',
      _rev: '2',
      userName: 'ben',
      sn: 'Bo\u0000b',
      mail: 'b@example.com',
      password: foreignHash('Old-Secret-2'),
    },
    { _id: 'o/slash', userName: 'olga', sn: 'Umlaut ä 🐙', mail: 'o@example.com' },
    ...people,
  ]);
  await putForeign(write, 'managedobjects', 'managed/role', [{ _id: 'staff', _rev: '1', name: 'staff' }]);
  const edge = (id: string, first: readonly [string, string], second: readonly [string, string]) => ({
    _id: id,
    _rev: '0',
    firstId: first[0],
    firstPropertyName: first[1],
    secondId: second[0],
    secondPropertyName: second[1],
    properties: { _grantType: '' },
  });
  await putForeign(write, 'relationships', 'relationships', [
    edge('e-ann', [ref('managed/role', 'staff'), 'members'], [ref('managed/user', 'ann'), 'roles']),
    edge('e-olga', [ref('managed/role', 'staff'), 'members'], [ref('managed/user', 'o%2Fslash'), 'roles']),
    edge('e-boss', [ref('managed/user', 'ann'), 'reports'], [ref('managed/user', 'ben'), 'manager']),
    edge('e-boss-twice', [ref('managed/user', 'ben'), 'manager'], [ref('managed/user', 'p00000'), 'reports']),
  ]);
  await putForeign(write, 'managedobjects', 'managed/account', [
    { _id: 'd-ann', _rev: '4', login: 'ann', surname: 'Ames' },
  ]);
  await putForeign(write, 'genericobjects', 'thing', [{ _id: 't', _rev: '1', of: 'scripts' }]);
  await putForeign(write, 'configobjects', 'config', [{ _id: 'managed', objects: [] }]);
  await putForeign(write, 'schedulerobjects', 'scheduler/jobs', [
    foreignJob('beat', {
      enabled: true,
      persisted: true,
      type: 'cron',
      schedule: '0/1 * * * * ?',
      invokeService: 'org.forgerock.openidm.script',
      invokeContext: { script: { type: 'text/javascript', source: 'true' } },
    }),
    foreignJob(
      'rests',
      {
        enabled: true,
        type: 'cron',
        schedule: '0 0 3 * * ?',
        invokeService: 'script',
        invokeContext: { script: { type: 'text/javascript', source: 'true' } },
      },
      true,
    ),
    { _id: 'scheduler-service-group_$x$x$_broken', serialized: 'AAAA' },
  ]);
  await write("insert into links values ('l-ann', '0', 'user_directory', 'default', 'ann', 'd-ann')");
  await write('insert into internaluser values (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?)', [
    ...['openidm-admin', '0', 'openidm-admin', '[{"_ref":"repo/internal/role/openidm-admin"}]'],
    ...[
      'ops',
      '3',
      JSON.stringify(foreignHash('Old-Secret-3')),
      '[{"_ref":"repo/internal/role/openidm-admin"}]',
    ],
    ...['plain', '0', 'Old-Secret-4', 'openidm-authorized'],
  ]);
  await write(
    "insert into internalrole values ('openidm-admin', '0', 'Administrative access'), ('auditor', '0', 'Reads')",
  );
  await write("insert into auditaccess values ('a-1', '2026-01-01T00:00:00.000Z')");
}
