import { expect, test } from 'vitest';
import { commonPieces, MANY, PIECE_FILES, sayingYes } from '../../support/common-pieces.ts';
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
  'a slice of one object of a scan': { ways: 15, statements: 17 },
  [`a slice of ${MANY} objects`]: { ways: 15, statements: 17 },
  'a delivery that makes its target': { ways: 20, statements: 30 },
  [`${MANY} of them`]: { ways: 56, statements: 90 },
  'an entry of a reconciliation that makes its target': { ways: 26, statements: 36 },
  // The sources of a chunk are read with one statement.
  [`a chunk of ${MANY}`]: { ways: 56, statements: 90 },
};

test('one piece of work costs as many statements and ways as written down', async () => {
  await using database = await createMigratedDatabase();
  await using project = await createProject(PIECE_FILES);
  const core = await openWorkflowCore(database, project.location, { scripts: () => sayingYes });
  const works = { ...(await commonWork(database, core)), ...(await commonPieces(core)) };
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
