/** How often common requests for managed users go to the database and wait. Counted, so no rounds. */
import { openDatabase } from '#database/index.ts';
import { commonRequests } from '../test/support/common-requests.ts';
import { createProject } from '../test/support/project.ts';
import { waysOf } from '../test/support/ways-of.ts';
import { withoutHooks } from '../test/support/without-hooks.ts';
import { openWorkflowCore } from '../test/support/workflow-core.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { report } from './support/row.ts';

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({ 'conf/managed.json': withoutHooks() }));
const database = scope.adopt(openDatabase({ url }), (opened) => opened.close());
for (const [quantity, ask] of Object.entries(
  await commonRequests(await openWorkflowCore(database, project.location)),
)) {
  for (let time = 0; time < 2; time += 1) await ask();
  const ours = [await waysOf(database, ask)];
  report({ bench: 'ways', quantity, unit: 'ways', ours, lessIsBetter: true });
}
