import { expect, test } from 'vitest';
import { commonWork } from '../../support/common-work.ts';
import { createMigratedDatabase } from '../../support/migrated-database.ts';
import { createProject } from '../../support/project.ts';
import { waysOf } from '../../support/ways-of.ts';
import { openWorkflowCore, statementsOf } from '../../support/workflow-core.ts';

/** How often the whole life of one piece of work goes to the database, and the statements on these ways. */
const WAYS = {
  'a firing that does nothing': { ways: 2, statements: 2 },
  'a firing that stores an object': { ways: 2, statements: 2 },
  'a firing that was claimed ahead of its time': { ways: 3, statements: 3 },
  'a job that stores an object': { ways: 2, statements: 2 },
};

test('one piece of work costs as many statements and ways as written down', async () => {
  await using database = await createMigratedDatabase();
  await using project = await createProject({ 'conf/managed.json': { objects: [{ name: 'mark' }] } });
  const works = await commonWork(database, await openWorkflowCore(database, project.location));
  const found: Record<string, unknown> = {};
  for (const [name, { prepare, act }] of Object.entries(works)) {
    await prepare();
    await act();
    await prepare();
    let statements: readonly string[] = [];
    const ways = await waysOf(database, async () => {
      statements = await statementsOf(act);
    });
    found[name] = { ways, statements: statements.length };
  }
  expect(found).toEqual(WAYS);
});
