import {
  addressOf,
  otherTypes,
  type SqlConfiguration,
  type TableRule,
  tableOf,
} from './sql-configuration.ts';

/** A table whose rows are told as rows of another one. */
interface Watched {
  readonly table: string;
  /** The column that says whose row it is. */
  readonly column: string;
  /** What the change is one of. */
  readonly source: string;
  readonly isOwn: boolean;
}

/**
 * The statements that make `changeTable`, and the triggers that fill it: in the transaction of whoever writes, so that it holds what
 * was committed and nothing else. They are run by hand, by somebody who may.
 */
export function changeTriggers(configuration: SqlConfiguration): string {
  const { changeTable = 'svc_change', table } = configuration;
  const rules = [
    tableOf(configuration, table),
    ...otherTypes(configuration).map((type) => tableOf(configuration, type)),
  ];
  const watched = rules.flatMap(watchedOf);
  const isPostgres = addressOf(configuration)?.dialect === 'postgresql';
  const statements = isPostgres ? ofPostgres(changeTable, watched) : ofMysql(changeTable, watched);
  const head =
    '-- Whoever writes these tables needs to insert into the table of changes. Rows that every reader has seen may be deleted from its beginning; its last row stays.';
  return `${[head, ...statements].join('\n')}\n`;
}

function watchedOf({ table, key, children }: TableRule): readonly Watched[] {
  return [
    { table, column: key, source: table, isOwn: true },
    ...children.map((child) => ({ table: child.table, column: child.column, source: table, isOwn: false })),
  ];
}

function ofPostgres(changeTable: string, watched: readonly Watched[]): readonly string[] {
  const log = named(changeTable, '"');
  return [
    `create table if not exists ${log} (number bigint generated always as identity primary key, source text not null, id text not null, previous_id text, at timestamptz not null default now());`,
    ...watched.flatMap(({ table, column, source, isOwn }) => {
      const [place, name, key] = [named(table, '"'), triggerOf(table), quoted(column, '"')];
      const [before, after] = [`old.${key}::text`, `new.${key}::text`];
      const insert = (values: string) =>
        `insert into ${log} (source, id, previous_id) values (${text(source)}, ${values});`;
      const changed = isOwn
        ? insert(`${after}, case when ${after} is distinct from ${before} then ${before} end`)
        : `${insert(`${after}, null`)} if ${after} is distinct from ${before} then ${insert(`${before}, null`)} end if;`;
      return [
        `create or replace function ${name}() returns trigger language plpgsql as $svc$ begin if tg_op = 'DELETE' then ${insert(`${before}, null`)} elsif tg_op = 'INSERT' then ${insert(`${after}, null`)} else ${changed} end if; return null; end $svc$;`,
        `drop trigger if exists ${name} on ${place};`,
        `create trigger ${name} after insert or update or delete on ${place} for each row execute function ${name}();`,
      ];
    }),
  ];
}

function ofMysql(changeTable: string, watched: readonly Watched[]): readonly string[] {
  const log = named(changeTable, '`');
  return [
    `create table if not exists ${log} (number bigint auto_increment primary key, source varchar(200) not null, id varchar(500) not null, previous_id varchar(500), at timestamp(6) not null default current_timestamp(6)) character set utf8mb4 collate utf8mb4_bin;`,
    ...watched.flatMap(({ table, column, source, isOwn }) => {
      const [place, name, key] = [named(table, '`'), triggerOf(table), quoted(column, '`')];
      const as = (row: string) => `cast(${row}.${key} as char)`;
      const insert = `insert into ${log} (source, id, previous_id)`;
      const isOther = `cast(new.${key} as binary) <> cast(old.${key} as binary)`;
      const changed = isOwn
        ? `${insert} values (${text(source)}, ${as('new')}, if(${isOther}, ${as('old')}, null))`
        : `${insert} select ${text(source)}, ${as('new')}, null union all select ${text(source)}, ${as('old')}, null from dual where ${isOther}`;
      return Object.entries({
        insert: `${insert} values (${text(source)}, ${as('new')}, null)`,
        update: changed,
        delete: `${insert} values (${text(source)}, ${as('old')}, null)`,
      }).flatMap(([event, does]) => [
        `drop trigger if exists ${name}_${event};`,
        `create trigger ${name}_${event} after ${event} on ${place} for each row ${does};`,
      ]);
    }),
  ];
}

function triggerOf(table: string): string {
  return `svc_change_of_${table.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`.slice(0, 50);
}

/** The table as the connector reads its name: what stands before the first dot is the schema. */
function named(table: string, sign: string): string {
  const [, schema, own = table] = /^([^.]+)\.(.+)$/.exec(table) ?? [];
  return [...(schema === undefined ? [] : [schema]), own].map((name) => quoted(name, sign)).join('.');
}

function quoted(name: string, sign: string): string {
  return `${sign}${name.replaceAll(sign, sign + sign)}${sign}`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
