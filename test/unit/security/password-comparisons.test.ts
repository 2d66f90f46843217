import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/index.ts';
import type { Attempt } from '../../../src/security/authentication/authentication-module.ts';
import { localDesk } from '../../../src/security/authentication/comparison-desk.ts';
import { LoginThrottle, loginOf } from '../../../src/security/authentication/login-throttle.ts';
import { PasswordComparisons } from '../../../src/security/authentication/password-comparisons.ts';
import { RightPasswords } from '../../../src/security/authentication/right-passwords.ts';
import { createSchemaDatabase } from '../../support/migrated-database.ts';
import type { TestDatabase } from '../../support/postgres.ts';

let test: TestDatabase;
let database: Database;
let compared: string[];
let comparisons: PasswordComparisons;

beforeAll(async () => {
  test = await createSchemaDatabase();
  database = openDatabase({ url: test.url, poolSize: 3 });
});
afterAll(async () => {
  await database.close();
  await test[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.pool.query('truncate login_failure, login_address');
  compared = [];
  comparisons = open();
});

/** Stored passwords are the passwords; what is compared is written down. */
function open(): PasswordComparisons {
  const right = new RightPasswords();
  const desk = localDesk({
    throttle: new LoginThrottle(database),
    async matches(password, stored) {
      compared.push(`${password} with ${String(stored)}`);
      return password === stored;
    },
    atOnce: 1,
    right,
  });
  return new PasswordComparisons({ desk, right, decoy: async () => 'a decoy' });
}

function attempt(username: string, password: string, remoteAddress = '203.0.113.1'): Attempt {
  const client = { isExternal: true, remoteAddress, remotePort: 1, userAgent: '', isSecure: false };
  return { header: () => undefined, client, http: null, credentials: { username, password }, requestId: '' };
}

const failures = async () =>
  (await database.pool.query('select kind, failures from svc_login_throttle order by kind')).rows.map(
    (row) => `${row.kind} ${row.failures}`,
  );

describe('comparing passwords', () => {
  it('costs one comparison for each failure, whether the name is known or not', async () => {
    const known = attempt('ada', 'wrong');
    expect(await comparisons.compare(known, 'right')).toBe(false);
    await comparisons.pretend(known);
    const unknown = attempt('nobody', 'wrong');
    await comparisons.admit(unknown);
    await comparisons.pretend(unknown);
    expect(compared).toEqual(['wrong with right', 'wrong with a decoy']);
    expect(await failures()).toEqual(['account 1', 'account 1', 'address 2', 'pair 1', 'pair 1']);
  });

  it('takes back what it has counted when the password was right, and remembers it', async () => {
    await comparisons.compare(attempt('ada', 'wrong'), 'right');
    expect(await comparisons.compare(attempt('ada', 'right'), 'right')).toBe(true);
    expect(await failures()).toEqual(['account 1', 'address 1']);
    expect(await comparisons.compare(attempt('Ada ', 'right'), 'right')).toBe(true);
    expect(compared).toEqual(['wrong with right', 'right with right']);
    // Another one is stored by now.
    expect(await comparisons.compare(attempt('ada', 'right'), 'new')).toBe(false);
  });

  it('tells a right password from guesses that wait only where it came in, and there for a guess a second', async () => {
    const right = (from: string) => attempt('ada', 'right', from);
    expect(await comparisons.compare(right('203.0.113.1'), 'right')).toBe(true);
    await database.pool.query(`
      insert into login_failure (key, failures, last_at, blocked_until)
      select concat('pair ', login_account('ada'), ' 203.0.113.', host), 9, now(), now() + interval '1 hour'
      from generate_series(1, 2) as host on conflict (key) do update set blocked_until = excluded.blocked_until`);
    const isRefused = (attempt: Attempt) =>
      comparisons.admit(attempt).then(
        () => false,
        () => true,
      );
    expect(await isRefused(right('203.0.113.2'))).toBe(true);
    expect(await isRefused(right('203.0.113.1'))).toBe(false);
    // One is forgotten each second, whatever the machine does in it.
    for (let at = 0; !(await isRefused(right('203.0.113.1'))); at += 1) {
      expect(await isRefused(attempt('ada', `guess ${at}`))).toBe(true);
    }
    expect(compared).toEqual(['right with right']);
  });

  it('counts an account however its name is written that is looked up', async () => {
    const written = [
      'ada',
      ' ADA',
      'ａｄａ',
      'a\u00adda',
      'ad\u200b\u2060a',
      '\ufeffada\u180e',
      '\u3000ada\u{e0041}',
    ];
    for (const name of written.slice(-4))
      await comparisons.compare(attempt(name, `wrong for ${name}`), 'right');
    expect(await failures()).toEqual(['account 4', 'address 4', 'pair 4']);
    const { rows } = await database.pool.query(
      'select distinct login_account(name) as account from unnest($1::text[]) as name',
      [written],
    );
    expect(rows).toEqual([{ account: loginOf('ada', '').account }]);
  });

  it('compares once what many ask at the same time', async () => {
    const asked = Array.from({ length: 50 }, () => comparisons.compare(attempt('ada', 'right'), 'right'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(compared).toEqual(['right with right']);
  });

  it('refuses what comes beyond those who may wait, and forgets nobody who waits', async () => {
    const asked = Array.from({ length: 60 }, (_, at) =>
      comparisons
        .compare(attempt(`user${at}`, 'wrong', `203.0.113.${at}`), 'right')
        .catch((error) => error.detail.id),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === false).length).toBe(compared.length);
    expect(answers.filter((answer) => answer === 'AUTH_BUSY').length).toBe(60 - compared.length);
    expect(compared.length).toBeGreaterThanOrEqual(33);
    expect(comparisons.waiting).toBe(0);
  });

  it('is slowed down by other nodes, too', async () => {
    for (const node of [comparisons, open(), open(), comparisons, open()]) {
      expect(await node.compare(attempt('ada', `guess ${compared.length}`), 'right')).toBe(false);
    }
    await database.pool.query(
      "update login_failure set blocked_until = now() + interval '1 hour' where key like 'pair %'",
    );
    await expect(open().compare(attempt('ada', 'right'), 'right')).rejects.toThrow('Too many failed logins');
    await expect(open().admit(attempt('ada', 'right'))).rejects.toThrow('Too many failed logins');
    expect(compared.length).toBe(5);
  });
});
