import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/index.ts';
import { commonRequests } from '../../support/common-requests.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject } from '../../support/project.ts';
import { waysOf } from '../../support/ways-of.ts';
import { withoutHooks } from '../../support/without-hooks.ts';
import { openWorkflowCore } from '../../support/workflow-core.ts';

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
  'a new user, and a user less': 8,
};

describe('the way to the database', () => {
  const scope = new AsyncDisposableStack();
  let database: Database;
  let requests: Awaited<ReturnType<typeof commonRequests>>;

  beforeAll(async () => {
    database = scope.use(await createMigratedDatabase());
    const project = scope.use(await createProject({ 'conf/managed.json': withoutHooks() }));
    requests = await commonRequests(await openWorkflowCore(database, project.location));
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
});
