import { connect } from 'node:net';
import { isObject, type JsonObject } from '#json/index.ts';
import { sqlKind } from '#system/connectors/sql/sql-connector.ts';
import { readConfiguration } from '#system/read-configuration.ts';
import { TcpProxy } from '../tcp-proxy.ts';
import { behind, type ConnectorFixture } from './fixture.ts';

export interface SqlServer {
  readonly scheme: 'postgresql' | 'mariadb';
  readonly place: { readonly host: string; readonly port: number };
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly passwordColumn: string;
  readonly query: (text: string, values: readonly unknown[]) => Promise<void>;
  readonly parameter: (number: number) => string;
  /** How it tells what has changed. */
  readonly changes: JsonObject;
}

/** The tables `person` and `person_mail` of a database, behind a network that can fail. */
export async function sqlFixture(server: SqlServer): Promise<ConnectorFixture> {
  const { scheme, place, database, user, password, passwordColumn, query, parameter, changes } = server;
  const proxy = await TcpProxy.open(() => place, Math.random);
  const insert = async (table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]) => {
    for (let at = 0; at < rows.length; at += 500) {
      const some = rows.slice(at, at + 500);
      const places = some.map(
        (row, line) => `(${row.map((_, place) => parameter(line * row.length + place + 1))})`,
      );
      await query(`insert into ${table} (${columns}) values ${places}`, some.flat());
    }
  };
  return {
    kind: sqlKind,
    host: { connect },
    config: {
      name: 'hr',
      connectorRef: { connectorName: 'org.identityconnectors.databasetable.DatabaseTableConnector' },
      configurationProperties: {
        jdbcUrlTemplate: `jdbc:${scheme}://%h:%p/%d`,
        host: '127.0.0.1',
        port: proxy.port,
        database,
        user,
        password,
        ssl: false,
        table: 'person',
        keyColumn: 'login',
        passwordColumn,
        childTables: ['person_mail.login'],
        ...changes,
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: { type: 'string', required: true },
            title: { type: 'string' },
            age: { type: 'integer' },
            mails: { type: 'array', items: { type: 'string' }, nativeName: 'person_mail.address' },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
      },
    },
    draft: (object) => object,
    wrongLogin: { password: 'of-nobody', user: 'nobody' },
    readOnly: 'counted',
    bytes: 'photo',
    manyFilters: 300,
    many: 1_200,
    multitude: 50_000,
    async seed(objects) {
      const rows = objects.map(({ login, title = null, age = null }) => [login, title, age]);
      await insert('person', ['login', 'title', 'age'], rows);
      const mails = objects.flatMap(({ login, mails: all = [] }) =>
        [all].flat().map((mail) => [login, mail]),
      );
      await insert('person_mail', ['login', 'address'], mails);
    },
    empty: () => query('delete from person', []),
    ...('changeTable' in changes ? { forgetChanges: () => query('delete from svc_change', []) } : {}),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** Has the database note what is written, by the statements that the connector prints. */
export async function noteChanges({ config }: ConnectorFixture, query: (text: string) => Promise<unknown>) {
  const { configurationProperties } = config;
  const given = isObject(configurationProperties) ? configurationProperties : {};
  const { values } = readConfiguration(sqlKind, given);
  const [, ...statements] = (sqlKind.preparation?.(values as never) ?? '').trimEnd().split('\n');
  for (const statement of statements) await query(statement);
}
