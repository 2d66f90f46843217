import type { ThresholdKind } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import { isOver, type Mapping, overThreshold, type Thresholds, thresholdsOf } from '#sync/index.ts';
import { mostCleared } from './entry-repository.ts';
import type { EntryCount, ReconRun } from './recon-run.ts';
import { findListedBefore } from './run-repository.ts';

/** What there is to say against a run. */
interface Limited {
  readonly db: Db;
  readonly run: ReconRun;
  readonly mapping: Mapping;
  readonly counts: readonly EntryCount[];
}

/** What the thresholds have against taking away what is planned, or against a listing that has shrunk. */
export async function overRemoval({ db, run, mapping, counts }: Limited): Promise<ConflictError | undefined> {
  const limits = limitsOf(run, mapping);
  const held = sumOf(counts, ({ state, takes_away }) => state === 'planned' && takes_away);
  if (held === 0 || limits === undefined) return undefined;
  const named = { name: mapping.name, thresholds: limits };
  return (
    overThreshold(named, { held, targets: run.links ?? 0 }, whatToDo(run.id)) ??
    (await hasShrunk(db, run, mapping, limits))
  );
}

/** The same, and what they have against all else, before anything is done. */
export async function overPlan(limited: Limited): Promise<ConflictError | undefined> {
  const { db, run, mapping, counts } = limited;
  const all = sumOf(counts, ({ state }) => state === 'planned');
  if (run.parameters.systemsChanged === true && all > 0) return systemsChanged(run, all);
  const limits = limitsOf(run, mapping);
  if (limits === undefined) return undefined;
  const refusal = await overRemoval(limited);
  if (refusal !== undefined) return refusal;
  const planned = (action: string) =>
    sumOf(counts, (one) => one.state === 'planned' && one.action === action);
  const [links, sources] = [run.links ?? 0, run.sources ?? 0];
  const checks: readonly (readonly [ThresholdKind, number, number, string])[] = [
    ['unlink', planned('UNLINK'), links, 'targets would be unlinked'],
    ['create', planned('CREATE'), sources, 'sources would get a new target'],
    ['update', planned('UPDATE'), links, 'targets would be changed'],
    ['failure', sumOf(counts, ({ state }) => state === 'failed'), sources, 'sources fail'],
  ];
  for (const [kind, count, of, what] of checks) {
    if (isOver(limits[kind], count, of)) return refused(run, kind, `${count} of ${of} ${what}`, limits);
  }
  if (limits.clear === undefined) return undefined;
  const most = await mostCleared(db, run.id);
  if (most === undefined || !isOver(limits.clear, most.entries, links)) return undefined;
  return refused(run, 'clear', `${most.entries} of ${links} targets would lose ${most.attribute}`, limits);
}

/** What is to be done about what is held. */
export function whatToDo(id: string): string {
  return `Look at recon/${id}/entry?_queryFilter=takesAway eq true, then recon/${id}?_action=approve; or mend the mapping and begin anew`;
}

function limitsOf({ parameters: { thresholds } }: ReconRun, mapping: Mapping): Thresholds | undefined {
  return thresholds === undefined ? mapping.thresholds : thresholdsOf(thresholds);
}

async function hasShrunk(
  db: Db,
  run: ReconRun,
  mapping: Mapping,
  limits: Thresholds,
): Promise<ConflictError | undefined> {
  if (limits.shrink === undefined || run.parameters.sourceIds !== undefined) return undefined;
  const before = await findListedBefore(db, run);
  for (const end of ['sources', 'targets'] as const) {
    const [was, is] = [before?.[end] ?? 0, run[end] ?? 0];
    if (run[end] === null || !isOver(limits.shrink, was - is, was)) continue;
    const of = end === 'sources' ? mapping.source : mapping.target;
    return refused(run, 'shrink', `'${of}' has ${is} objects, and had ${was} the last time`, limits);
  }
  return undefined;
}

function systemsChanged({ id, mapping }: ReconRun, planned: number): ConflictError {
  return new ConflictError(
    `'${mapping}' is held: the file of a system is not what it was the last time, and ${planned} entries are planned`,
    {
      id: 'RECON_SYSTEM_CHANGED',
      hint: `Look at recon/${id}/entry, then recon/${id}?_action=approve; or begin with {"force": true}`,
    },
  );
}

function refused(
  { id, mapping }: ReconRun,
  kind: ThresholdKind,
  what: string,
  limits: Thresholds,
): ConflictError {
  const { percent = 0, atLeast = 0 } = limits[kind] ?? {};
  return new ConflictError(`'${mapping}' is held: ${what} (${kind}: ${percent} %, at least ${atLeast})`, {
    id: 'RECON_HELD',
    hint: `Look at recon/${id}/entry, then recon/${id}?_action=approve; or mend what is wrong and begin anew`,
  });
}

function sumOf(counts: readonly EntryCount[], which: (count: EntryCount) => boolean): number {
  return counts.filter(which).reduce((sum, { entries }) => sum + entries, 0);
}
