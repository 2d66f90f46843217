import { connect } from 'node:net';
import { sqlKind } from '#system/connectors/sql/sql-connector.ts';
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
}

/** The tables `person` and `person_mail` of a database, behind a network that can fail. */
export async function sqlFixture(server: SqlServer): Promise<ConnectorFixture> {
  const { scheme, place, database, user, password, passwordColumn, query, parameter } = server;
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
    ...behind(proxy),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
