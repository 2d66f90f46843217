import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  type ConfigurationOf,
  type ConfigurationProblem,
  type ConfigurationProperties,
  ConnectorError,
  shownAddress,
} from '../../contract.ts';
import type { SqlLogin } from './sql-session.ts';

export const sqlProperties = {
  jdbcUrlTemplate: {
    type: 'text',
    isRequired: true,
    does: 'Where the database is, such as jdbc:postgresql://%h:%p/%d or jdbc:mariadb://db.example.com/hr',
  },
  host: { type: 'text', default: 'localhost', does: 'What %h stands for' },
  port: { type: 'number', does: 'What %p stands for; 5432 or 3306 where nothing is said' },
  database: { type: 'text', does: 'What %d stands for' },
  user: { type: 'text', does: 'By which name the server logs in' },
  password: { type: 'secret', does: 'Its password' },
  ssl: { type: 'flag', default: true, does: 'TLS, with a certificate that is verified' },
  caFile: {
    type: 'text',
    does: 'Certificates that are trusted, PEM, in the folder data of the project; default: those of Node',
  },
  table: { type: 'text', isRequired: true, does: 'The table or view of accounts, such as hr.person' },
  keyColumn: {
    type: 'text',
    isRequired: true,
    does: 'Its column that says who a row is; its values are unique',
  },
  passwordColumn: { type: 'text', does: 'Its column with the password' },
  tables: {
    type: 'list',
    default: [],
    does: 'Other tables and their key columns, such as department.id: an object type names one by nativeType',
  },
  childTables: {
    type: 'list',
    default: [],
    does: 'Tables whose rows belong to a row, and by which column: person_mail.person_id, or person_mail.person_id -> person. Their columns are attributes with several values, such as person_mail.address',
  },
  changeTable: {
    type: 'text',
    does: 'The table in which triggers note what is written (svc system sql-trigger): with it all changes are told',
  },
  changeLogColumn: {
    type: 'text',
    does: 'A column that each write makes larger, such as a time: what has changed is told, and not what was deleted',
  },
} as const satisfies ConfigurationProperties;

/** What others have: values are bound and names quoted always, and the driver follows from the address. */
export const ignoredProperties = [
  'quoting',
  'jdbcDriver',
  'enableEmptyString',
  'rethrowAllSQLExceptions',
  'nativeTimestamps',
  'allNative',
  'validConnectionQuery',
  'datasource',
  'jndiProperties',
  'suppressPassword',
  'connectorMessages',
] as const;

export type SqlConfiguration = ConfigurationOf<typeof sqlProperties>;

export type DialectName = 'postgresql' | 'mysql';

export interface Address {
  readonly dialect: DialectName;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** What the address says of TLS; undefined where it says nothing. */
  readonly tls: boolean | undefined;
}

/** A table, its key, and the tables whose rows belong to its rows. */
export interface TableRule {
  readonly table: string;
  readonly key: string;
  readonly children: readonly { readonly table: string; readonly column: string }[];
}

const DIALECTS: Readonly<Record<string, readonly [DialectName, number]>> = {
  postgresql: ['postgresql', 5432],
  mysql: ['mysql', 3306],
  mariadb: ['mysql', 3306],
};

export function sqlProblems(configuration: SqlConfiguration): readonly ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  const { jdbcUrlTemplate, tables, childTables, port, table, changeTable, changeLogColumn } = configuration;
  if (changeTable !== undefined && changeLogColumn !== undefined) {
    problems.push({
      property: 'changeLogColumn',
      message: 'changeTable and changeLogColumn exclude each other',
    });
  }
  const address = addressOf(configuration);
  if (address === undefined) {
    problems.push({
      property: 'jdbcUrlTemplate',
      message: `'${shownAddress(jdbcUrlTemplate)}' is no address of a database that there is a connector for`,
      hint: 'There are jdbc:postgresql://host:5432/database, jdbc:mysql://… and jdbc:mariadb://…',
    });
  } else if (address.dialect === 'mysql' && usesTls(configuration, address) && isIP(address.host) !== 0) {
    problems.push({
      property: 'host',
      message: `'${address.host}' is an address, for which no certificate can be verified here`,
      hint: 'Write the name that the certificate is for, or go without TLS by "ssl": false',
    });
  }
  if (port !== undefined && (port < 1 || port > 65_535)) {
    problems.push({ property: 'port', message: `${port} is no port` });
  }
  for (const place of tables) {
    if (columnOf(place) !== undefined) continue;
    problems.push({
      property: 'tables',
      message: `'${place}' is no table with its key column`,
      hint: 'Such as department.id',
    });
  }
  const known = [table, ...tables.flatMap((place) => columnOf(place)?.table ?? [])];
  for (const place of childTables) {
    const child = childOf(place, table);
    if (child === undefined) {
      problems.push({
        property: 'childTables',
        message: `'${place}' is no table with the column that refers to another`,
        hint: 'Such as person_mail.person_id, or person_mail.person_id -> person',
      });
    } else if (!known.includes(child.parent)) {
      problems.push({
        property: 'childTables',
        message: `'${place}' belongs to '${child.parent}', which no table is called`,
        hint: `There are ${known.join(', ')}`,
      });
    }
  }
  return problems;
}

/** The table of a kind of objects. @throws ConnectorError `misconfigured` */
export function tableOf(configuration: SqlConfiguration, type: string): TableRule {
  const { table, keyColumn, tables, childTables } = configuration;
  const other = tables.map(columnOf).find((one) => one?.table === type);
  const found =
    other !== undefined
      ? { table: other.table, key: other.column }
      : isMain(type, table)
        ? { table, key: keyColumn }
        : undefined;
  if (found === undefined) {
    throw new ConnectorError(
      'misconfigured',
      `No table is called '${type}'; 'tables' lists others than '${table}'`,
    );
  }
  const children = childTables.flatMap((place) => {
    const child = childOf(place, table);
    return child?.parent === found.table ? [{ table: child.table, column: child.column }] : [];
  });
  return { ...found, children };
}

/** The kinds of objects besides accounts. */
export function otherTypes({ tables }: SqlConfiguration): readonly string[] {
  return tables.flatMap((place) => columnOf(place)?.table ?? []);
}

/** @param caFile with the certificates that are trusted @throws ConnectorError `misconfigured` */
export function loginOf(
  configuration: SqlConfiguration,
  caFile: string | undefined,
): SqlLogin & { readonly dialect: DialectName } {
  const address = addressOf(configuration);
  if (address === undefined)
    throw new ConnectorError('misconfigured', 'jdbcUrlTemplate is no address of a database');
  const { user, password } = configuration;
  const { dialect, host, port, database } = address;
  const isSecure = usesTls(configuration, address);
  return {
    dialect,
    host,
    port,
    database,
    user,
    password,
    tls: isSecure ? (caFile === undefined ? {} : { ca: readCertificates(caFile) }) : undefined,
  };
}

function isMain(type: string, table: string): boolean {
  return type === '__ACCOUNT__' || type === table;
}

function usesTls({ ssl }: SqlConfiguration, { tls }: Address): boolean {
  return ssl && tls !== false;
}

export function addressOf({ jdbcUrlTemplate, host, port, database }: SqlConfiguration): Address | undefined {
  const [, name = ''] = /^jdbc:([a-z]+):\/\//i.exec(jdbcUrlTemplate) ?? [];
  const [dialect, usual] = DIALECTS[name.toLowerCase()] ?? [];
  if (dialect === undefined || usual === undefined) return undefined;
  const written = jdbcUrlTemplate
    .slice('jdbc:'.length)
    .replaceAll('%h', host.includes(':') ? `[${host}]` : host)
    .replaceAll('%p', String(port ?? usual))
    .replaceAll('%d', encodeURIComponent(database ?? ''));
  const url = URL.parse(written.replace(/^[a-z]+:/i, 'http:'));
  const at = url?.pathname.slice(1) ?? '';
  if (url === null || url.hostname === '' || at === '' || at.includes('/') || url.username !== '')
    return undefined;
  const said = (
    url.searchParams.get('sslmode') ??
    url.searchParams.get('sslMode') ??
    url.searchParams.get('useSSL') ??
    url.searchParams.get('ssl') ??
    ''
  ).toLowerCase();
  return {
    dialect,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    // The usual port of the scheme that it is read with is shown as none.
    port: url.port === '' ? (/:80(?:\/|$)/.test(written) ? 80 : usual) : Number(url.port),
    database: decodeURIComponent(at),
    tls: said === '' ? undefined : !['disable', 'disabled', 'false'].includes(said),
  };
}

function columnOf(place: string): { readonly table: string; readonly column: string } | undefined {
  const [, table, column] = /^(.+)\.([^.]+)$/.exec(place.trim()) ?? [];
  return table === undefined || column === undefined ? undefined : { table, column };
}

function childOf(place: string, main: string): { table: string; column: string; parent: string } | undefined {
  const [own = '', parent = main, ...rest] = place.split('->').map((one) => one.trim());
  const found = columnOf(own);
  return found === undefined || rest.length > 0 ? undefined : { ...found, parent };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConnectorError('misconfigured', `'${path}' cannot be read`, { cause: error });
  }
}
