import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#json/index.ts';
import { LATEST, type Token } from '#system/contract.ts';
import { type ConnectorFixture, ConnectorSite } from '../../support/connector/fixture.ts';
import { noteChanges, sqlFixture } from '../../support/connector/sql-fixture.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { describeColumn } from './connector-changes.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

async function start(changes: JsonObject): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await createTestDatabase());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  scope.defer(() => client.end());
  await client.query(`
    create table person (login text primary key, title text, age int, "pass ""word" text, changed timestamptz,
      photo bytea, counted int generated always as (age + 1) stored);
    create function touch() returns trigger language plpgsql as $$ begin new.changed := clock_timestamp(); return new; end $$;
    create trigger touch before insert or update on person for each row execute function touch();
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
    changes,
  });
  if ('changeTable' in changes) await noteChanges(fixture, (text) => client.query(text));
  scope.use(fixture);
  const opened = scope.move();
  return { ...fixture, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describeConnector('for databases, on Postgres', () => start({ changeTable: 'svc_change' }));
describeColumn('on Postgres', () => start({ changeLogColumn: 'changed' }));

describe.each([{ changeTable: 'svc_change' }, { changeLogColumn: 'changed' }])('with %o', (changes) => {
  it('tells, too, what a transaction has written that ends after later ones', async () => {
    await using fixture = await start(changes);
    await using site = new ConnectorSite(fixture);
    const { configurationProperties } = fixture.config;
    const { port, database, user, password }: JsonObject = isObject(configurationProperties)
      ? configurationProperties
      : {};
    await using scope = new AsyncDisposableStack();
    const connect = async () => {
      const login = { user: String(user), password: String(password), database: String(database) };
      const client = new pg.Client({ host: '127.0.0.1', port: Number(port), ...login });
      await client.connect();
      scope.defer(() => client.end());
      return client;
    };
    const [slow, quick] = [await connect(), await connect()];
    const told = async (since: Token | typeof LATEST) => {
      const ids: string[] = [];
      let token: Token = since;
      for await (const batch of site.changes(since)) {
        token = batch.token;
        ids.push(...batch.changes.map((one) => (one.kind === 'delete' ? one.id : one.entry.id)));
      }
      return { ids, token };
    };
    const since = await told(LATEST);
    await slow.query("begin; insert into person (login) values ('slow')");
    await quick.query("insert into person (login) values ('quick')");
    const first = await told(since.token);
    expect(first.ids).toEqual(['quick']);
    await slow.query('commit');
    const second = await told(first.token);
    expect(second.ids).toEqual(['slow']);
    expect((await told(second.token)).ids).toEqual([]);
  });
});
