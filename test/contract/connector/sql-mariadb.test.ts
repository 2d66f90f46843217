import { describe } from 'vitest';
import { sqlFixture } from '../../support/connector/sql-fixture.ts';
import { HAS_MARIADB, startMariadb } from '../../support/mariadb.ts';
import { describeConnector } from './connector-suite.ts';

async function start() {
  await using scope = new AsyncDisposableStack();
  const mariadb = scope.use(await startMariadb());
  await mariadb.query(`
    create table person (login varchar(200) primary key, title longtext, age int, \`pass\`\`word\` varchar(200)) collate utf8mb4_general_ci;
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
    }),
  );
  const opened = scope.move();
  return { ...fixture, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

// Where there is none, it is said aloud, and it is demanded where changes are judged.
if (HAS_MARIADB) describeConnector('for databases, on MariaDB', start);
else describe.skip('the connector for databases, on MariaDB');
