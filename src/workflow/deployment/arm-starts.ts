import { nextInUtc } from '#cron/index.ts';
import type { UnitOfWork } from '#database/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { findLatest } from '../definition/definition-repository.ts';
import { listStarts, planStartTimer } from '../engine/index.ts';
import { enqueueJob } from '../job/enqueue-job.ts';
import { insertStartTimer } from '../job/job-repository.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { insertStartSubscription, removeStarts } from './deployment-repository.ts';

/** Lets the latest version of a key, and no other, wait for its start timers, messages and signals. */
export async function armStarts(
  platform: Pick<WorkflowPlatform, 'definitions' | 'queue' | 'now'>,
  unitOfWork: UnitOfWork,
  key: string,
): Promise<void> {
  const db = await unitOfWork.db();
  await removeStarts(db, key);
  const latest = await findLatest(db, key);
  if (latest === undefined || latest.suspended) return;
  const { process } = await platform.definitions.get(db, latest.id);
  for (const start of await listStarts(process)) {
    if (start.kind === 'none') continue;
    if (start.kind !== 'timer') {
      const { element, kind: event, name } = start;
      await insertStartSubscription(db, { definitionId: latest.id, element, event, name });
      continue;
    }
    const now = platform.now();
    const plan = await planStartTimer(start.timer, now, nextInUtc);
    if (plan === undefined) continue;
    const job = { id: timeOrderedId(now), revision: 1, dueAt: plan.dueAt };
    await insertStartTimer(db, {
      ...job,
      definitionId: latest.id,
      element: start.element,
      repeat: plan.repeat,
    });
    await enqueueJob(platform, unitOfWork, job);
  }
}
