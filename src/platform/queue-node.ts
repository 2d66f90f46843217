import { firstOf } from '#json/index.ts';
import { beatHealth } from '#lifecycle/index.ts';
import {
  type ClaimedJob,
  countReadyJobs,
  JobPoller,
  type JobResult,
  QueueKeeper,
  releaseJobs,
  runJob,
  runJobs,
} from '#queue/index.ts';
import { workKind } from '#script/index.ts';
import type { NodeGround, NodePart } from './feature.ts';
import { type Platform, WAKE_UP } from './platform.ts';

const POLLER_SILENCE_MS = 10_000;
/** What is run in a script thread. */
export const JOB = workKind<ClaimedJob, JobResult>('job');
export const JOBS = workKind<readonly ClaimedJob[], readonly JobResult[]>('jobs');

/** What runs jobs of the queues on this node, and what looks after the queues. */
export function queueNode(
  { queue, database, clock, notifier, observe }: Platform,
  node: NodeGround,
): NodePart {
  const { claims, membership, threads, quarantine, isWorker } = node;
  const poller = new JobPoller({
    queue,
    clock,
    claims: claims.db,
    holder: () => ({ nodeId: membership.nodeId, epoch: membership.epoch, life: membership.life }),
    async run(job: ClaimedJob): Promise<JobResult> {
      if (!queue.worker(job.queue).options.runsScripts) return runJob(queue, job);
      return threads.run({ kind: JOB, payload: job, repeatable: false });
    },
    async runTogether(jobs) {
      if (!queue.worker(firstOf(jobs).queue).options.runsScripts) return runJobs(queue, jobs);
      return threads.run({ kind: JOBS, payload: jobs, repeatable: false });
    },
    observe,
    quarantine,
  });
  membership.onFenced(() => poller.abandon());
  membership.onDrain((isDrained) => poller.drain(isDrained));
  membership.onNodeLost(async (nodeId, epoch, loss) => {
    const lost = loss.kind === 'ended' ? 'node' : 'silent';
    const released = await releaseJobs(database.db, { holder: { nodeId, epoch }, lost, alone: loss.alone });
    if (released > 0) notifier.notify(WAKE_UP.queue);
    return released;
  });
  return {
    services: [new QueueKeeper(queue, observe), ...(isWorker ? [poller] : [])],
    onWakeUp: {
      [WAKE_UP.queue]: () => poller.wake(),
      [WAKE_UP.queueBehind]: () => poller.lookBehind(),
    },
    gauges: [
      { name: 'svc_jobs_running', help: 'Jobs of queues that run on this node', read: () => poller.active },
      {
        name: 'svc_queue_ready',
        help: 'Jobs of all queues that wait for a node, in the whole cluster, 10000 at most; NaN while Postgres does not answer',
        ask: () => countReadyJobs(database.db),
      },
    ],
    health: () => (isWorker ? [beatHealth('jobPoller', poller.lastBeatAt, POLLER_SILENCE_MS)] : []),
  };
}
