import type { Membership } from '#cluster/index.ts';
import type { Database } from '#database/index.ts';
import type { Solitude } from '#lifecycle/index.ts';
import {
  type ClaimedJob,
  JobPoller,
  type JobResult,
  QueueKeeper,
  releaseJobs,
  runJob,
  runJobs,
} from '#queue/index.ts';
import type { ScriptThreads } from '#script/index.ts';
import type { Core } from './core.ts';
import { beatHealth } from './node-health.ts';
import type { NodePart } from './node-part.ts';
import { TOPIC } from './platform.ts';

const POLLER_SILENCE_MS = 10_000;

export interface QueueNodeOptions {
  readonly core: Core;
  readonly claims: Database;
  readonly membership: Membership;
  readonly threads: ScriptThreads;
  readonly solitude: Solitude;
  /** Whether this node runs jobs. */
  readonly isWorker: boolean;
}

/** What runs jobs of the queues on this node, and what looks after the queues. */
export function queueNode(options: QueueNodeOptions): NodePart {
  const { core, claims, membership, threads, solitude, isWorker } = options;
  const { queue, database, clock, notifier, observe } = core;
  const poller = new JobPoller({
    queue,
    clock,
    claims: claims.db,
    holder: () => ({ nodeId: membership.nodeId, epoch: membership.epoch }),
    async run(job: ClaimedJob): Promise<JobResult> {
      if (!queue.worker(job.queue).options.runsScripts) return runJob(queue, job);
      return (await threads.run({ kind: 'job', payload: job, repeatable: false })) as JobResult;
    },
    async runTogether(jobs) {
      if (!queue.worker(jobs[0]!.queue).options.runsScripts) return runJobs(queue, jobs);
      return (await threads.run({ kind: 'jobs', payload: jobs, repeatable: false })) as JobResult[];
    },
    observe,
    solitude,
  });
  membership.onFenced(() => poller.abandon());
  membership.onNodeLost(async (nodeId, epoch, loss) => {
    const lost = loss.kind === 'ended' ? 'node' : 'silent';
    const released = await releaseJobs(database.db, { holder: { nodeId, epoch }, lost, alone: loss.alone });
    if (released > 0) notifier.notify(TOPIC.queue);
    return released;
  });
  return {
    services: [new QueueKeeper(queue, observe), ...(isWorker ? [poller] : [])],
    onTopic: {
      [TOPIC.queue]: () => poller.wake(),
      [TOPIC.queueBehind]: () => poller.lookBehind(),
    },
    gauges: [
      { name: 'svc_jobs_running', help: 'Jobs of queues that run on this node', read: () => poller.active },
    ],
    health: () => (isWorker ? [beatHealth('jobPoller', poller.lastBeatAt, POLLER_SILENCE_MS)] : []),
  };
}
