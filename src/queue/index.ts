/**
 * Work that is done later, somewhere in the cluster.
 *
 * Words: a *job* waits in a *queue* until it is due; a *worker* is what the code has registered for a queue; a node
 * *claims* a job and runs it; one that fails for good is a *dead letter*. Invariants: a job is there exactly if the
 * unit of work that enqueued it was committed; what its handler stores is there exactly if the job counts as
 * completed; a node that lost its claim commits nothing; no NOTIFY inside a transaction.
 */
export {
  buryHeldJobs,
  type HeldQueue,
  holdQueues,
  listHeldQueues,
  releaseQueue,
} from './hold-repository.ts';
export type { ClaimedJob, Job, JobFailure, JobHandler, JobPlace, JobWork } from './job.ts';
export { JobPoller } from './job-poller.ts';
export { Queue } from './queue.ts';
export { countReadyJobs } from './queue-depth-repository.ts';
export { QueueKeeper } from './queue-keeper.ts';
export { releaseJobs } from './release-repository.ts';
export { type JobResult, runJob } from './run-job.ts';
export { runJobs } from './run-jobs.ts';
