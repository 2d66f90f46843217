import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Database } from '#database/index.ts';
import type { Connection } from '#resource/index.ts';
import { commonRequests } from '../../support/common-requests.ts';
import { countStatements } from '../../support/count-statements.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject } from '../../support/project.ts';
import { scimRequests } from '../../support/scim-requests.ts';
import { startTestServer } from '../../support/server.ts';
import { waysOf } from '../../support/ways-of.ts';
import { withoutHooks } from '../../support/without-hooks.ts';
import { processFile } from '../../support/workflow.ts';
import { openWorkflowCore, statementsOf } from '../../support/workflow-core.ts';
import { end, path, start, user } from '../workflow/engine/bpmn.ts';

/** How often a request goes to the database and waits; more is a loss for everybody. */
const WAYS = {
  'a user by id': 1,
  'a user with roles and manager': 2,
  'a page of 20 users': 1,
  'a page of 20 users with roles and manager': 2,
  'a new user': 2,
  'a new user with two roles and a manager': 3,
  'a changed property': 2,
  'another manager': 3,
  'another name': 3,
  'a new user, and a user less': 5,
};

/** The same of resources of SCIM, and the statements that leave on these ways. */
const SCIM = {
  'a user by id': { ways: 2, statements: 3 },
  'a user by name': { ways: 2, statements: 3 },
  'a new user': { ways: 2, statements: 6 },
  'a new user with an externalId': { ways: 2, statements: 6 },
  'a changed attribute': { ways: 3, statements: 4 },
  'another externalId': { ways: 3, statements: 4 },
  'another manager': { ways: 6, statements: 16 },
  'a user as a whole': { ways: 4, statements: 9 },
  'a member more, and less': { ways: 14, statements: 27 },
  'a group without its members': { ways: 1, statements: 1 },
};

describe('the way to the database', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;
  let connection: Connection;
  let requests: Awaited<ReturnType<typeof commonRequests>>;

  beforeAll(async () => {
    database = scope.use(await createMigratedDatabase());
    const project = scope.use(await createProject({ 'conf/managed.json': withoutHooks() }));
    const core = await openWorkflowCore(database, project.location);
    connection = core.connection;
    requests = await commonRequests(core);
  });
  afterAll(() => scope.disposeAsync());

  it('is taken as often as written down', async () => {
    const ways: Record<string, number> = {};
    for (const [name, ask] of Object.entries(requests)) {
      // What is remembered of types and plans is remembered once.
      for (let time = 0; time < 2; time += 1) await ask();
      ways[name] = await waysOf(database, ask);
    }
    expect(ways).toEqual(WAYS);
  });

  it('is taken as often by clients of SCIM as written down', async () => {
    const ways: Record<string, unknown> = {};
    for (const [name, ask] of Object.entries(await scimRequests(connection))) {
      for (let time = 0; time < 2; time += 1) await ask();
      const statements = await statementsOf(ask);
      ways[name] = { ways: await waysOf(database, ask), statements: statements.length };
    }
    expect(ways).toEqual(SCIM);
  });

  it('is taken once to see whether the names of users are free who are made together', async () => {
    const create = (userName: string) =>
      connection
        .create('managed/user', null, { userName, givenName: 'G', sn: 'S', mail: `${userName}@example.com` })
        .then(
          () => userName,
          () => 'refused',
        );
    const names = Array.from({ length: 20 }, (_, index) => `together-${index}`);
    const made: string[] = [];
    const createAll = async () => void made.push(...(await Promise.all([...names, names[0]!].map(create))));
    expect(await countStatements(createAll, /^select at from/)).toBe(1);
    expect(made.filter((name) => name === 'refused')).toHaveLength(1);
    expect(made.filter((name) => name !== 'refused').sort()).toEqual(names.toSorted());
    expect(await create('together-7')).toBe('refused');
    expect(await create('svc-admin')).toBe('refused');
  });

  it('is taken twice by a step of a process', async () => {
    const xml = processFile('one', start() + user('task') + end() + path('s', 'task', 'e'));
    await connection.action('workflow/deployment', 'deploy', { name: 'one.bpmn20.xml', content: xml });
    const begin = () => connection.create('workflow/processinstance', null, { _key: 'one' });
    const complete = async () => {
      const { result } = await connection.query('workflow/taskinstance', { queryId: 'query-all-ids' });
      const task = `workflow/taskinstance/${String(result[0]?.id)}`;
      return waysOf(database, () => connection.action(task, 'complete', {}));
    };
    for (let time = 0; time < 2; time += 1) {
      await begin();
      await complete();
    }
    expect(await waysOf(database, begin)).toBe(2);
    expect(await complete()).toBe(2);
  });

  it('is taken once for the definition that processes have which are started together', async () => {
    const xml = processFile('many', start() + user('task') + end() + path('s', 'task', 'e'));
    await connection.action('workflow/deployment', 'deploy', { name: 'many.bpmn20.xml', content: xml });
    const begin = () => connection.create('workflow/processinstance', null, { _key: 'many' });
    await begin();
    const looksFor = /from workflow_definition d where d.key = /;
    const beginAll = async () => void (await Promise.all(Array.from({ length: 20 }, begin)));
    expect(await countStatements(beginAll, looksFor)).toBe(1);
    // What is deployed before somebody asks is what is started.
    const changed = xml.replace('name="task"', 'name="changed"');
    await connection.action('workflow/deployment', 'deploy', { name: 'many.bpmn20.xml', content: changed });
    const { content } = await begin();
    expect(content).toMatchObject({ processDefinitionId: expect.stringContaining('many:2:') });
  });

  it.each(['message', 'signal'])('is taken three times by a %s that one process waits for', async (event) => {
    const name = event === 'message' ? 'hello' : 'alarm';
    const waits = `<intermediateCatchEvent id="wait"><${event}EventDefinition ${event}Ref="${name}"/></intermediateCatchEvent>`;
    const xml = processFile(event, start() + waits + user('task') + end() + path('s', 'wait', 'task', 'e'));
    await connection.action('workflow/deployment', 'deploy', { name: `${event}.bpmn20.xml`, content: xml });
    const ways: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      await connection.create('workflow/processinstance', null, { _key: event });
      ways.push(await waysOf(database, () => connection.action(`workflow/${event}`, 'send', { name })));
    }
    expect(ways.at(-1)).toBe(3);
  });
});

test('the way to the database is taken once for who asks, and not for a script that asks for nothing', async () => {
  await using server = await startTestServer();
  const evaluate = { body: { type: 'text/javascript', source: '1 + 1' } };
  const requests = {
    login: () => server.api('GET', 'info/ping'),
    eval: () => server.api('POST', 'script?_action=eval', evaluate),
  };
  for (const [name, ask] of Object.entries(requests)) {
    let least = Number.POSITIVE_INFINITY;
    // What a node does besides, as making its indexes after the start, can only add to it.
    for (let time = 0; time < 200 && (time < 10 || least > 1); time += 1) {
      least = Math.min(
        least,
        await waysOf(server.database, async () => expect((await ask()).status).toBe(200)),
      );
    }
    // Whether the account is still as it was is asked each time: nobody comes in for whom that is over.
    expect(least, name).toBe(1);
  }
});
