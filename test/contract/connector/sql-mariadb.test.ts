import { describe } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { ConnectorFixture } from '../../support/connector/fixture.ts';
import { noteChanges, sqlFixture } from '../../support/connector/sql-fixture.ts';
import { HAS_MARIADB, startMariadb } from '../../support/mariadb.ts';
import { describeColumn } from './connector-changes.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

async function start(changes: JsonObject): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const mariadb = scope.use(await startMariadb());
  await mariadb.query(`
    create table person (login varchar(200) primary key, title longtext, age int, \`pass\`\`word\` varchar(200),
      changed timestamp(6) not null default current_timestamp(6) on update current_timestamp(6),
      photo longblob, counted int as (age + 1) stored) collate utf8mb4_general_ci;
    create table person_mail (login varchar(200) not null, address varchar(500) not null, primary key (login, address),
      foreign key (login) references person (login) on update cascade on delete cascade)`);
  const fixture = scope.use(
    await sqlFixture({
      scheme: 'mariadb',
      place: { host: '127.0.0.1', port: mariadb.port },
      ...mariadb,
      passwordColumn: 'pass`word',
      query: async (text, values) => void (await mariadb.query(text, values)),
      parameter: () => '?',
      changes,
    }),
  );
  if ('changeTable' in changes) await noteChanges(fixture, (text) => mariadb.query(text));
  const opened = scope.move();
  return { ...fixture, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

// Where there is none, it is said aloud, and it is demanded where changes are judged.
if (HAS_MARIADB) {
  describeConnector('for databases, on MariaDB', () => start({ changeTable: 'svc_change' }));
  describeColumn('on MariaDB', () => start({ changeLogColumn: 'changed' }));
} else describe.skip('the connector for databases, on MariaDB');
