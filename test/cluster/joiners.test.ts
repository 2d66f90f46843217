import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { sampleFiles } from '../support/sample.ts';
import { SLAPD, type Slapd, startSlapd } from '../support/slapd.ts';
import '../support/takes-long.ts';

/** `SVC_TEST_KILLS=200` is the long form. */
const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? longOr(3, 1));
const PEOPLE = Number(process.env['SVC_TEST_JOINERS'] ?? 60);
const FROM_HR = 'systemHrAccounts_managedUser';

interface Person {
  readonly uid: string;
  firstName: string;
  email: string;
  status: 'active' | 'left';
}

describe.skipIf(SLAPD === undefined)('people of a file, with accounts in a directory', () => {
  const people = new Map<string, Person>();
  let test: TestDatabase;
  let database: Database;
  let slapd: Slapd;
  let project: TestProject;
  let node: NodeProcess | undefined;
  let started = 0;

  beforeAll(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    slapd = await startSlapd();
    project = await createProject({
      ...(await sampleFiles('joiners')),
      'conf/boot/boot.properties': [
        'svc.ldap.host=127.0.0.1',
        `svc.ldap.port=${slapd.port}`,
        `svc.ldap.password=${slapd.password}`,
      ].join('\n'),
    });
    for (let n = 1; n <= PEOPLE; n++) join(n);
    await writeFile();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    await database?.close();
    await project?.[Symbol.asyncDispose]();
    await slapd?.[Symbol.asyncDispose]();
    await test?.[Symbol.asyncDispose]();
  });

  function join(n: number): void {
    const uid = String(7000 + n);
    people.set(uid, { uid, firstName: `Zoë ${n}`, email: `${uid}@example.com`, status: 'active' });
  }

  const writeFile = () =>
    project.write(
      'data/hr.csv',
      [
        'uid,firstName,lastName,email,department,status',
        ...[...people.values()].map(({ uid, firstName, email, status }) =>
          [uid, firstName, 'Ångström', email, 'Sales', status].join(),
        ),
        '',
      ].join('\n'),
    );

  async function start(): Promise<NodeProcess> {
    const name = `n${++started}`;
    const environment = { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_LOG_LEVEL: 'info' };
    return startNodeProcess({ name, databaseUrl: test.url, project: project.location, environment });
  }

  /** The node ends without a word, and another one takes its place. */
  async function kill(): Promise<NodeProcess> {
    const next = await start();
    node?.signal('SIGKILL');
    await node?.ended;
    node = next;
    return next;
  }

  const count = async (statement: string) => {
    const { rows } = await sql.raw<{ n: number }>(statement).execute(database.db);
    return rows[0]?.n ?? 0;
  };

  /** Users and accounts as the file would have them. */
  const wanted = () => ({
    users: [...people.values()].map(({ uid, firstName, email, status }) =>
      [uid, firstName, email, status === 'active' ? 'active' : 'inactive'].join(),
    ),
    accounts: [...people.values()]
      .filter(({ status }) => status === 'active')
      .map(({ uid, firstName, email }) => [uid, firstName, `${firstName} Ångström`, email].join()),
  });

  async function found({ api }: NodeProcess) {
    const users = await api('GET', 'managed/user?_queryFilter=sn+eq+"Ångström"');
    const accounts = await api('GET', 'system/ldap/account?_queryFilter=true');
    type Row = Record<string, string>;
    return {
      users: users.body.result?.map((one: Row) =>
        [one['userName'], one['givenName'], one['mail'], one['accountStatus']].join(),
      ),
      accounts: accounts.body.result?.map((one: Row) =>
        [one['uid'], one['givenName'], one['cn'], one['mail']].join(),
      ),
    };
  }

  const sorted = ({ users = [], accounts = [] }: { users?: string[]; accounts?: string[] }) =>
    JSON.stringify([users.toSorted(), accounts.toSorted()]);

  it('are as the file says in the end, each once, whatever node is killed at whatever moment', async () => {
    node = await start();
    const begun = await node.api('POST', `recon?_action=recon&mapping=${FROM_HR}`, { body: {} });
    expect(begun.status).toBe(200);
    const some = Math.floor(Math.random() * PEOPLE * 0.8);
    await eventually(
      () => count(`select count(*)::int as n from sync_link where link_type = '${FROM_HR}'`),
      (n) => n > some,
    );
    node = await kill();
    for (let round = 1; round <= KILLS; round++) {
      join(PEOPLE + round);
      for (const person of people.values()) {
        const dice = Math.random();
        if (dice < 0.4) person.email = `${person.uid}.${round}@example.com`;
        else if (dice < 0.5) person.status = person.status === 'active' ? 'left' : 'active';
        else if (dice < 0.53) people.delete(person.uid);
      }
      await writeFile();
      const changed = people.get(String(7000 + PEOPLE + round));
      const most = Math.floor(Math.random() * 20);
      await eventually(
        async () =>
          changed === undefined ||
          ((await count(
            `select count(*)::int as n from managed_object where type = 'user' and data->>'userName' = '${changed.uid}'`,
          )) === 1 &&
            (await count('select count(*)::int as n from sync_outbox')) <= most),
        (isFar) => isFar,
      );
      node = await kill();
    }
    const last = node;
    await eventually(
      async () => sorted(await found(last)),
      (now) => now === sorted(wanted()),
    );
    await eventually(
      () => count('select count(*)::int as n from sync_outbox'),
      (n) => n === 0,
    );
    const { users, accounts } = wanted();
    expect(await count(`select count(*)::int as n from sync_link where link_type = '${FROM_HR}'`)).toBe(
      users.length,
    );
    expect(await count(`select count(*)::int as n from sync_link where link_type <> '${FROM_HR}'`)).toBe(
      accounts.length,
    );
    expect(await count('select count(*)::int as n from sync_outside where intent is not null')).toBe(0);
    const again = await last.api('POST', `recon?_action=recon&mapping=${FROM_HR}&waitForCompletion=true`, {
      body: {},
    });
    expect(again.body).toMatchObject({ state: 'SUCCESS' });
    expect((await last.api('GET', `recon/${again.body._id}`)).body).toMatchObject({
      situationSummary: { CONFIRMED: users.length },
      entrySummary: { applied: 0, failed: 0 },
    });
  });
});
