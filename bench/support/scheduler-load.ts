import { readFileSync } from 'node:fs';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { captureText } from './capture-text.ts';
import { onServer } from './postgres.ts';

export type CompletionShape = 'complete' | 'complete-with-ledger';

/** As the trigger poller claims. */
export const LOOK_AHEAD_MS = 500;
export const SLACK_MS = 5_000;

/** Replaces what is in the scheduler's tables by triggers that are always due. */
export async function fillScheduler(url: string, triggers: number): Promise<void> {
  await onServer(url, readSql('fill').replace(':triggers', String(triggers)));
  await settle(url);
}

/** Clears away what the last measurement left behind, so that the next one starts as that one did. */
export async function settle(url: string): Promise<void> {
  await onServer(url, 'truncate scheduler_firing');
  for (const table of ['scheduler_due', 'scheduler_run']) await onServer(url, `vacuum ${table}`);
}

/**
 * A lower bound for claims, epoch ms: what waits longest, less the slack. A later one would hide triggers that wait
 * since they were filled in, and leave only those that were just completed.
 */
export async function earliestDue(url: string): Promise<number> {
  const [row] = await onServer<{ ms: number }>(
    url,
    'select (extract(epoch from min(due_at)) * 1000)::float8 as ms from scheduler_due',
  );
  return row!.ms - SLACK_MS;
}

/** How often the triggers fired since they were filled in, by their own times. */
export async function countFirings(url: string): Promise<number> {
  const [row] = await onServer<{ firings: string }>(
    url,
    `select coalesce(sum(extract(epoch from fire_at - timestamptz '2000-01-01') / 3600), 0) as firings
     from scheduler_due`,
  );
  return Number(row!.firings);
}

/** @throws Error unless every trigger waits exactly once and nothing is claimed */
export async function checkTriggers(url: string, triggers: number): Promise<void> {
  const [row] = await onServer<Record<string, string>>(
    url,
    `select (select count(*) from scheduler_due) as waiting,
            (select count(distinct trigger_id) from scheduler_due) as triggers,
            (select count(*) from scheduler_run) as claimed`,
  );
  const found = {
    waiting: Number(row!['waiting']),
    triggers: Number(row!['triggers']),
    claimed: Number(row!['claimed']),
  };
  if (found.waiting !== triggers || found.triggers !== triggers || found.claimed !== 0) {
    throw new Error(`Of ${triggers} triggers there are ${JSON.stringify(found)}: some were lost or doubled`);
  }
}

/**
 * Claim and completion as a script for pgbench, each in a transaction of its own. The claim is the text that the
 * product sends: taken from it at run time, so that the two cannot part.
 */
export async function claimScript(shape: CompletionShape): Promise<string> {
  const claim = withClaimed(await captureClaim());
  return `\\set node :client_id + 1\n${claim} select count(*), ${FORGETS} from claimed;\n${readSql(shape)}`;
}

/** A claim does not wait for the disk: the product has sessions for that, and pgbench one for everything. */
export const FORGETS = "set_config('synchronous_commit', 'off', true)";

/** The statement of a claim up to where it answers, and its answer as `claimed`. */
export function withClaimed(claim: string): string {
  const answer = claim.lastIndexOf('select d.trigger_id');
  return `${claim.slice(0, answer).trimEnd()}, claimed as (\n${claim.slice(answer)}\n)`;
}

/** The completion for `pg`, which numbers its parameters; the only one is the claimer's node. */
export function completionText(shape: CompletionShape): string {
  return readSql(shape).replace(':node', '$1');
}

function readSql(name: string): string {
  const text = readFileSync(new URL(`../sql/${name}.sql`, import.meta.url), 'utf8');
  return text.replaceAll(/^--.*\n/gm, '');
}

/** Values that stand for the variables of the script while a statement is compiled. */
const STAND_INS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [901, ':node'],
  [902, '1'],
  [903, ':batch'],
  [904, String(LOOK_AHEAD_MS)],
  [905, ':watermark'],
  [906, ':batch'],
]);

function captureClaim(): Promise<string> {
  return captureText(STAND_INS, (db) =>
    claimDue(db, {
      holder: { nodeId: 901, epoch: 902 },
      limit: 903,
      lookAheadMs: 904,
      watermark: 905,
      startLimit: 906,
    }),
  );
}
