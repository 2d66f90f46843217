import { ProcessImport } from '#workflow/index.ts';
import { findProcess } from '../repository/store-repository.ts';
import { pagesOfRoots } from './act-tables-repository.ts';
import { PROCESSES, type ProcessOptions, readTrees } from './take-processes.ts';

/** Whether each instance there is as it was when it came, and as it came here. */
export async function verifyProcesses({
  foreign,
  place,
  database,
  tally,
}: Pick<ProcessOptions, 'foreign' | 'place' | 'database' | 'tally'>): Promise<void> {
  const here = new ProcessImport(database, place);
  for await (const roots of pagesOfRoots(foreign)) {
    for (const { id, print } of await readTrees(foreign, roots)) {
      tally.of(PROCESSES).read++;
      const known = await findProcess(database.db, place, id);
      const differs = (reason: string) => tally.remark({ about: PROCESSES, id, reason, isLeft: true });
      if (known === undefined) differs('It is not here');
      else if (known.print !== print) differs('It has moved on at the other server since it came');
      else if ((await here.revisionOf(known.rootId)) !== known.revision)
        differs('It was moved here since it came');
      else tally.of(PROCESSES).unchanged++;
    }
  }
}
