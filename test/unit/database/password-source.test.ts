import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { urlWithPassword } from '#config/index.ts';
import { withSecretFiles } from '#config/secret-variables.ts';
import { type Database, isConnectionLost, openDatabase, runUnitOfWork } from '#database/index.ts';
import { createTestDatabase } from '../../support/postgres.ts';

describe('a password of the database that is read for each session', () => {
  const scope = new AsyncDisposableStack();
  let file: string;
  let superuser: pg.Client;
  let url: URL;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-password-'));
    scope.defer(() => rm(folder, { recursive: true }));
    file = join(folder, 'password');
    const test = scope.use(await createTestDatabase());
    superuser = new pg.Client({ connectionString: test.url });
    await superuser.connect();
    scope.defer(() => superuser.end());
    url = new URL(test.url);
    url.username = `rotating_${url.pathname.slice(-16)}`;
    url.password = '';
    await superuser.query(`create role ${url.username} login password 'first'`);
    scope.defer(async () => void (await superuser.query(`drop role ${url.username}`)));
    await writeFile(file, 'first\n');
  });
  afterAll(() => scope.disposeAsync());

  const given = (text: string, more = {}) =>
    withSecretFiles({ DATABASE_URL: text, SVC_DATABASE_PASSWORD_FILE: file, ...more });
  const who = async (database: Database) =>
    (await database.pool.query<{ who: string }>('select current_user as who')).rows[0]?.who;
  const endSessions = () =>
    superuser.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
      url.username,
    ]);
  /** Postgres holds a place for whoever owes it a password. */
  const countUnnamed = async () =>
    (
      await superuser.query(
        "select from pg_stat_activity where backend_type = 'client backend' and usename is null",
      )
    ).rowCount;
  const rotate = async (password: string) => {
    await superuser.query(`alter role ${url.username} password '${password}'`);
    await endSessions();
  };

  it.each([
    ['one server', (text: string) => text],
    ['several servers', (text: string) => `${text}?target_session_attrs=read-write`],
  ])('is read for each session, so that it changes without a restart, of %s', async (_, of) => {
    await rotate('first');
    await writeFile(file, 'first\n');
    const database = openDatabase({ url: given(of(url.href))['DATABASE_URL'] ?? '', poolSize: 2 });
    await using _closed = { [Symbol.asyncDispose]: () => database.close() };
    expect(await who(database)).toBe(url.username);
    await rotate('second');
    // Until the file has it, too, nobody comes in, which is a trouble that passes.
    await expect.poll(() => who(database).catch((error: unknown) => isConnectionLost(error))).toBe(true);
    await expect(who(database)).rejects.toSatisfy(isConnectionLost);
    await writeFile(file, 'second\n');
    expect(await who(database)).toBe(url.username);
  });

  it('stands in the URL that other programs are given', async () => {
    await rotate('fi@rst');
    await writeFile(file, 'fi@rst\n');
    const text = given(`${url.href}?application_name=other`)['DATABASE_URL'] ?? '';
    const whole = await urlWithPassword(text);
    expect(whole).toBe(`${url.href.replace('@', ':fi%40rst@')}?application_name=other`);
    const client = new pg.Client({ connectionString: whole });
    await client.connect();
    await client.end();
    expect(await urlWithPassword(url.href)).toBe(url.href);
  });

  it('is refused at the start where it is missing, empty, or given twice', async () => {
    url.password = 'other';
    expect(() => given(url.href)).toThrow(
      /SVC_DATABASE_PASSWORD_FILE is set, and DATABASE_URL has a password/,
    );
    url.password = '';
    expect(() => given(url.href, { SVC_DATABASE_PASSWORD_FILE: `${file}-none` })).toThrow(
      /cannot be read \(ENOENT\)/,
    );
    expect(() => given('')).toThrow(/needs DATABASE_URL beside it/);
    await writeFile(file, '\n');
    expect(() => given(url.href)).toThrow(/names a file that is empty/);
  });

  /** Prints what stands in the file, and notes that it was asked. */
  const commandOf = (counter: string) => `echo asked >> '${counter}'; cat '${file}'`;
  const asked = async (counter: string) => (await readFile(counter, 'utf8')).split('\n').length - 1;
  const openBy = (command: string) => {
    const urls = withSecretFiles({ DATABASE_URL: url.href, SVC_DATABASE_PASSWORD_COMMAND: command });
    const database = openDatabase({ url: urls['DATABASE_URL'] ?? '', poolSize: 2, onError: () => {} });
    return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() });
  };

  it('may be printed by a command, which is asked again when the password is refused', async () => {
    const counter = `${file}-asked`;
    await rotate('printed');
    await writeFile(file, 'printed\n');
    await using database = openBy(commandOf(counter));
    await Promise.all([1, 2].map(() => database.pool.query('select pg_sleep(0.05)')));
    expect(await asked(counter)).toBe(1);
    await rotate('another');
    await writeFile(file, 'another\n');
    // Whoever works with the database is not told.
    const name = () =>
      runUnitOfWork(database, {}, async (unitOfWork) => {
        const { rows } = await sql<{ who: string }>`select current_user as who`.execute(
          await unitOfWork.db(),
        );
        return rows[0]?.who;
      });
    expect(await name()).toBe(url.username);
    expect(await asked(counter)).toBe(2);
  });

  it('may be a token, which is not used when it is about to be over', async () => {
    const counter = `${file}-tokens`;
    const payload = { exp: Math.floor(Date.now() / 1_000) + 10 };
    const token = `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
    await rotate(token);
    await writeFile(file, token);
    await using database = openBy(commandOf(counter));
    for (const times of [1, 2]) {
      expect(await who(database)).toBe(url.username);
      expect(await asked(counter)).toBe(times);
      await endSessions();
      await expect.poll(() => database.pool.totalCount).toBe(0);
    }
  });

  it('is waited for where its file is empty for a moment, and no session is left open for that', async () => {
    await rotate('written');
    await writeFile(file, 'written\n');
    const database = openDatabase({ url: given(url.href)['DATABASE_URL'] ?? '', poolSize: 2 });
    await using _closed = { [Symbol.asyncDispose]: () => database.close() };
    await writeFile(file, '\n');
    const refusal = await who(database).catch((error: unknown) => error);
    expect(isConnectionLost(refusal)).toBe(true);
    expect(String(refusal)).toMatch(/the file with the password of the database is empty: '\//);
    await expect.poll(countUnnamed).toBe(0);
    await writeFile(file, 'written\n');
    expect(await who(database)).toBe(url.username);
  });

  it('says why its command has failed, and not what it is', async () => {
    await using database = openBy('echo "no vault" >&2; exit 3 # hush');
    const refusal = await who(database).catch((error: unknown) => error);
    expect(isConnectionLost(refusal)).toBe(true);
    expect(String(refusal)).toMatch(
      /the command for the password of the database has failed: exit code 3: no vault$/,
    );
    await using silent = openBy('true # hush');
    await expect(who(silent)).rejects.toThrow(/prints nothing/);
    await expect.poll(countUnnamed).toBe(0);
    expect(() => given(url.href, { SVC_DATABASE_PASSWORD_COMMAND: 'true' })).toThrow(
      /SVC_DATABASE_PASSWORD_FILE is set, and SVC_DATABASE_PASSWORD_COMMAND, too/,
    );
  });
});
