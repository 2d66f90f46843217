import type { DaylightSaving } from '#cron/index.ts';
import type { Db } from '#database/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import { type Why, type WhyLink, whyOf } from '#resource/index.ts';
import { nextFiring } from '../schedule/next-firing.ts';
import { timingOf } from '../schedule/schedule.ts';
import type { FiringView } from '../store/firing-repository.ts';
import { listIds } from '../store/job-repository.ts';
import { type FiringFacts, gatherFacts } from './explain-repository.ts';

/** Why a schedule did, or did not, fire at a time. */
export interface Explanation extends Why {
  readonly schedule: string;
  /** The time that was asked about. */
  readonly time: string;
  /** The node that has it in memory; null of a persisted one, and of one that is gone. */
  readonly nodeId: string | null;
  /** False of a schedule in the memory of a node; null when it is gone. */
  readonly persisted: boolean | null;
  /** Whether the schedule, as it is now, has this time. Null when it is gone. */
  readonly planned: boolean | null;
  /**
   * The outcome as in the ledger, or `waiting`, `running`, `paused`, `parked`, `disabled`, `notPlanned`, `future`,
   * `unrecorded`.
   */
  readonly outcome: string;
}

const NEAR_MS = 1_000;

/**
 * Tells the causal chain of one planned time from the ledger, and from what waits and runs now.
 *
 * @throws NotFoundError when there is neither such a schedule nor a trace of one
 */
export async function explainFiring(
  db: Db,
  { id, at, dst = 'quartz', nodeName }: { id: string; at: number; dst?: DaylightSaving; nodeName?: string },
): Promise<Explanation> {
  const facts = await gatherFacts(db, { id, at, nodeName });
  if (facts.job === null && facts.firings.length === 0 && facts.neighbours.length === 0) {
    const hint = didYouMean(id, await listIds(db));
    throw new NotFoundError(
      `There is no schedule '${id}', and the ledger has none of it`,
      hint === undefined ? {} : { hint },
    );
  }
  const planned = isPlanned(facts, at, dst);
  const entry = facts.firings
    .filter((firing) => Math.abs(plannedAt(firing) - at) < NEAR_MS)
    .toSorted((left, right) => Math.abs(plannedAt(left) - at) - Math.abs(plannedAt(right) - at))[0];
  const verdict = entry === undefined ? judge(facts, at, planned, dst) : judgeEntry(entry);
  const chain = [...background(facts), ...(entry === undefined ? presence(facts, at) : history(entry))];
  return {
    schedule: id,
    time: iso(at),
    nodeId: facts.job?.owner ?? null,
    persisted: facts.job === null ? null : facts.job.owner === null,
    planned,
    ...whyOf(verdict.outcome, verdict.why, chain),
  };
}

function isPlanned({ job }: FiringFacts, at: number, dst: DaylightSaving): boolean | null {
  if (job === null) return null;
  const timing = timingOf(job.definition, dst);
  if (timing.repetition !== null) {
    const near = nextFiring(timing, at - NEAR_MS);
    return near !== null && near < at + NEAR_MS;
  }
  if (timing.cron === null) return timing.startAt === null ? null : Math.abs(timing.startAt - at) < NEAR_MS;
  const second = Math.floor(at / 1000) * 1000;
  return nextFiring(timing, second - 1) === second;
}

function judgeEntry(entry: FiringView): { outcome: string; why: string } {
  const { outcome, node, failed, why, lateMs } = entry;
  const reason = why === null || why === undefined ? '' : `: ${String(why)}`;
  const end = failed === true ? `, and failed: ${messageOf(entry)}` : '';
  const sentences: Record<string, string> = {
    fired: `It fired on node ${node}, ${lateMs} ms after its time${end}`,
    late: `It fired on node ${node}, but ${lateMs} ms late${reason || `: ${lateness(entry)}`}${end}`,
    recovered: `It was done again on node ${node}${reason}${end}`,
    manual: `It was asked for by hand and ran on node ${node}${reason}${end}`,
    misfired: `It was missed and found ${lateMs} ms late${reason}`,
    skipped: `It was skipped${reason}`,
    lost: `It was lost${reason}`,
  };
  return { outcome: String(outcome), why: sentences[String(outcome)] ?? String(outcome) };
}

/** Where a late run waited: before it was claimed, or for a free seat of its node. */
function lateness(entry: FiringView): string {
  const claimedAt = entry['claimedAt'];
  if (typeof claimedAt !== 'string') return 'its node was busy';
  const claimLate = Date.parse(claimedAt) - plannedAt(entry);
  return claimLate > Number(entry['lateMs']) / 2
    ? `no node claimed it until ${claimedAt}`
    : `node ${entry['node']} had claimed it in time and had no free seat`;
}

function judge(
  facts: FiringFacts,
  at: number,
  planned: boolean | null,
  dst: DaylightSaving,
): { outcome: string; why: string } {
  const { job } = facts;
  if (job === null)
    return { outcome: 'unrecorded', why: 'The schedule is gone, and the ledger has nothing at this time' };
  const timing = timingOf(job.definition, dst);
  const running = facts.running.find((run) => Math.abs(run.fireAt.getTime() - at) < NEAR_MS);
  if (running !== undefined) {
    const what = running.startedAt === null ? 'has claimed it and not started it yet' : 'runs it now';
    return { outcome: 'running', why: `Node ${running.node} (${running.nodeState}) ${what}` };
  }
  if (planned === false && !job.definition.enabled) {
    return {
      outcome: 'notPlanned',
      why: 'The schedule does not have this time, and it is disabled: it fires at none',
    };
  }
  if (planned === false) {
    const next = nextFiring(timing, at);
    const then = next === null ? 'it has no later time' : `its next time is ${iso(next)}`;
    return { outcome: 'notPlanned', why: `The schedule does not have this time; after it, ${then}` };
  }
  if (!job.definition.enabled) return { outcome: 'disabled', why: 'The schedule is disabled' };
  if (job.parked !== null) {
    return {
      outcome: 'parked',
      why: `The schedule is parked: planned for ${job.parked.plannedAt}, ${job.parked.reason}`,
    };
  }
  if (facts.allPaused) return { outcome: 'paused', why: 'All schedules are paused' };
  if (job.paused) return { outcome: 'paused', why: 'The schedule is paused' };
  if (at > facts.now.getTime()) return { outcome: 'future', why: 'This time is still to come' };
  const blocker = facts.running.find(({ startedAt }) => startedAt !== null);
  if (blocker !== undefined && !job.definition.concurrentExecution) {
    return {
      outcome: 'waiting',
      why: `It waits for the run planned for ${blocker.fireAt.toISOString()} on node ${blocker.node}, which is not over`,
    };
  }
  const waiting = facts.waiting.find(({ fireAt }) => Math.abs(fireAt.getTime() - at) < NEAR_MS);
  if (waiting !== undefined) {
    const why =
      job.owner === null
        ? 'no node has claimed it yet'
        : `node ${job.owner}, which has it in memory, has not claimed it yet`;
    return { outcome: 'waiting', why: `It is due and ${why}` };
  }
  if (at < job.createdAt.getTime()) return { outcome: 'unrecorded', why: 'The schedule did not exist yet' };
  if (at < job.updatedAt.getTime()) {
    return {
      outcome: 'unrecorded',
      why: 'The schedule was edited after this time, and may have had others before',
    };
  }
  return {
    outcome: 'unrecorded',
    why: 'The ledger has nothing at this time; it may be older than what is kept',
  };
}

function background({ job, neighbours, others }: FiringFacts): WhyLink[] {
  const links: WhyLink[] = neighbours.map((entry) => ({
    at: iso(plannedAt(entry)),
    text: `the neighbouring time in the ledger: ${judgeEntry(entry).why}`,
    ref: `scheduler/firing/${entry._id}`,
  }));
  if (job === null) return links;
  const where = job.owner === null ? '' : ` in the memory of node ${job.owner}`;
  const further =
    others.length === 0 ? '' : `; there are others of this id in the memory of ${others.join(', ')}`;
  links.push({ at: job.createdAt.toISOString(), text: `the schedule was created${where}${further}` });
  if (job.updatedAt.getTime() - job.createdAt.getTime() > NEAR_MS) {
    links.push({ at: job.updatedAt.toISOString(), text: 'the schedule was last edited' });
  }
  return links;
}

function history(entry: FiringView): WhyLink[] {
  const { claimedAt, startedAt, endedAt, node, attempt, tookMs, outcome } = entry;
  const links: WhyLink[] = [{ at: iso(plannedAt(entry)), text: 'this is its planned time' }];
  if (typeof claimedAt === 'string')
    links.push({ at: claimedAt, text: `node ${node} claimed it`, ref: `cluster/${node}` });
  if (typeof startedAt === 'string') {
    links.push({ at: startedAt, text: `node ${node} started it, attempt ${attempt}` });
  }
  const end = entry['failed'] === true ? `failed: ${messageOf(entry)}` : `ended as ${outcome}`;
  links.push({
    at: String(endedAt),
    text: typeof tookMs === 'number' ? `it ${end}, after ${tookMs} ms` : `it ${end}`,
    ref: `scheduler/firing/${entry._id}`,
  });
  return links;
}

function presence({ running, waiting, now }: FiringFacts, at: number): WhyLink[] {
  const links: WhyLink[] = [{ at: iso(at), text: 'the time that was asked about' }];
  for (const run of running) {
    links.push({
      at: (run.startedAt ?? run.claimedAt).toISOString(),
      text: `node ${run.node} ${run.startedAt === null ? 'claimed' : 'started'} the run planned for ${run.fireAt.toISOString()}`,
      ref: `cluster/${run.node}`,
    });
  }
  for (const { fireAt, dueAt, kind } of waiting) {
    const held = dueAt instanceof Date ? '' : ', held back while the schedule is paused';
    links.push({ at: now.toISOString(), text: `a ${kind} firing waits for ${fireAt.toISOString()}${held}` });
  }
  return links;
}

function plannedAt(entry: FiringView): number {
  return Date.parse(String(entry['plannedAt']));
}

function messageOf(entry: FiringView): string {
  const error = entry['error'];
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error['message'])
    : 'without a message';
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
