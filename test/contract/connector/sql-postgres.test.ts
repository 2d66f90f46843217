import pg from 'pg';
import { sqlFixture } from '../../support/connector/sql-fixture.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { describeConnector } from './connector-suite.ts';

describeConnector('for databases, on Postgres', async () => {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createTestDatabase());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  scope.defer(() => client.end());
  await client.query(`
    create table person (login text primary key, title text, age int, "pass ""word" text);
    create table person_mail (login text not null references person on update cascade on delete cascade, address text not null,
      primary key (login, address))`);
  const { hostname, port, username, password } = new URL(database.url);
  const fixture = await sqlFixture({
    scheme: 'postgresql',
    place: { host: hostname, port: Number(port) },
    database: database.name,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    passwordColumn: 'pass "word',
    query: async (text, values) => void (await client.query(text, [...values])),
    parameter: (number) => `$${number}`,
  });
  scope.use(fixture);
  const opened = scope.move();
  return { ...fixture, [Symbol.asyncDispose]: () => opened.disposeAsync() };
});
