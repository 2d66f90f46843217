import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import type { Connection } from '#resource/index.ts';
import { seededRandom } from '../../support/hostile-requests.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject } from '../../support/project.ts';
import { SEED } from '../../support/property-seed.ts';
import { withoutHooks } from '../../support/without-hooks.ts';
import { openWorkflowCore, statementsOf } from '../../support/workflow-core.ts';

/** Devices have a serial number of their own, which only its policy looks after. */
function withDevices(): string {
  const managed = JSON.parse(withoutHooks());
  const serial = { type: 'string', policies: [{ policyId: 'unique' }] };
  managed.objects.push({ name: 'device', schema: { properties: { serial } } });
  return JSON.stringify(managed);
}

describe('an object that is made', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;
  let nodes: Connection[];

  beforeAll(async () => {
    database = scope.use(await createMigratedDatabase());
    const project = scope.use(await createProject({ 'conf/managed.json': withDevices() }));
    const open = async (own: Database, name: string) =>
      (await openWorkflowCore(own as never, project.location, { name })).connection;
    const other = openDatabase({ url: database.url });
    scope.defer(() => other.close());
    nodes = [await open(database, 'one'), await open(other, 'two')];
  });
  afterAll(() => scope.disposeAsync());

  let users = 0;
  const user = (userName = `user${++users}`) => ({
    userName,
    givenName: 'G',
    sn: 'S',
    mail: `${userName}@example.com`,
  });
  const create = (userName?: string, node = 0) =>
    nodes[node]!.create('managed/user', null, user(userName)).then(({ id }) => String(id));
  const device = (serial: string, node = 0) =>
    nodes[node]!.create('managed/device', null, { serial }).then(({ id }) => String(id));
  const renumber = (id: string, serial: string, node = 0) =>
    nodes[node]!.patch(`managed/device/${id}`, null, [
      { operation: 'replace', field: ['serial'], value: serial },
    ]);
  const serialsTwice = async () => {
    const { rows } = await sql<{ name: string }>`
      select data->>'serial' as name from managed_object where type = 'device'
      group by 1 having count(*) > 1`.execute(database.db);
    return rows.map(({ name }) => name);
  };

  it('takes two looks and one transaction that leaves as a whole', async () => {
    await create();
    const sent = await statementsOf(() => create());
    expect(sent.map((text) => text.split(' ', 1)[0])).toEqual([
      'select',
      'select',
      'begin',
      'select',
      'with',
      'commit',
    ]);
  });

  it('shares its commit with others', async () => {
    const sent = await statementsOf(() => Promise.all(Array.from({ length: 60 }, () => create())));
    expect(sent.filter((text) => text === 'commit').length).toBeLessThan(20);
  });

  it('has a value of its own, whoever else wants it at the same time on whichever node', async () => {
    const random = seededRandom(SEED);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
    const free = await Promise.all(Array.from({ length: 6 }, (_, n) => device(`free${n}`)));
    for (let round = 0; round < 8; round += 1) {
      const names = Array.from({ length: 5 }, (_, n) => `wanted${round}of${n}`);
      const work = Array.from({ length: 30 }, () => {
        const [name, node] = [pick(names), random() < 0.5 ? 0 : 1];
        return random() < 0.8
          ? { name, run: () => device(name, node) }
          : { name, run: () => renumber(pick(free), name, node) };
      });
      const outcomes = await Promise.allSettled(work.map(({ run }) => run()));
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).toMatchObject({
          code: 403,
          message: expect.stringMatching(/policy validation/i),
        });
      }
      expect(await serialsTwice()).toEqual([]);
      // Whoever asked first has it, unless they have gone on to another name since.
      const made = new Set(
        work.flatMap(({ name }, at) => (outcomes[at]!.status === 'fulfilled' ? [name] : [])),
      );
      expect([...made].sort()).toEqual([...new Set(work.map(({ name }) => name))].sort());
    }
  });

  it('waits for nobody who holds the name of another, and for its own until that is over', async () => {
    const own = await database.db.startTransaction().execute();
    await sql`select pg_advisory_xact_lock(hashtextextended(${`unique ${JSON.stringify(['managed/user', 'userName', 'held'])}`}, 0))`.execute(
      own,
    );
    const held = create('held');
    const others = await Promise.all([create(), create(), create()]);
    expect(others.length).toBe(3);
    await own.rollback().execute();
    expect(await held).not.toBe('');
  });
});
