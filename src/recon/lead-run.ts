import type { Db, UnitOfWork } from '#database/index.ts';
import { BadRequestError, ConflictError, ResourceError } from '#errors/index.ts';
import { ScriptError } from '#script/index.ts';
import { contextOf, keptError, type Mapping, qualifiersOf, runOnRecon, runResult } from '#sync/index.ts';
import { apart } from '#work/index.ts';
import { insertChunks } from './chunk-repository.ts';
import { endRun, failRun } from './end-run.ts';
import { countEntries, refuseClaims, removeListed } from './entry-repository.ts';
import { overPlan, overRemoval } from './limits.ts';
import {
  countLinks,
  countListing,
  insertSourceEntries,
  insertTargetEntries,
  prunePrints,
} from './listing-repository.ts';
import { CHUNK_QUEUE, mappingOf, pairPrintOf, type ReconPlatform } from './recon-platform.ts';
import type { ReconRun, ReconStep } from './recon-run.ts';
import { situationsOf, summaryOf } from './recon-view.ts';
import { recordStart } from './record-recon.ts';
import { findRun, type Listed, lockRun, storeListed, storeStarted, storeStep } from './run-repository.ts';
import { type Side, sideOf } from './side.ts';
import { countEntriesAnew, freshenStatistics } from './statistics-repository.ts';

const CHUNK_SIZE = 200;
/** Lanes of a run over all nodes. */
const MOST_LANES = 10;

const NEXT: Readonly<Record<ReconStep, ReconStep>> = {
  list: 'source',
  source: 'link',
  link: 'target',
  target: 'remove',
  apply: 'remove',
  remove: 'end',
  end: 'end',
};

/** A run that is led, in the unit of work in which that is done. */
export interface Led {
  readonly platform: ReconPlatform;
  readonly unitOfWork: UnitOfWork;
  readonly db: Db;
  readonly run: ReconRun;
  readonly mapping: Mapping;
}

/**
 * Takes a run on to its next step that has anything to do: one unit of work, so that whoever dies over it has done nothing. Chunks of
 * entries, and lanes for them, are there with the step; the last lane asks for this again.
 */
export async function leadRun(platform: ReconPlatform, unitOfWork: UnitOfWork, id: string): Promise<void> {
  const db = await unitOfWork.db();
  const run = await findRun(db, id);
  if (run === undefined || run.state !== 'ACTIVE') return;
  const mapping = mappingOf(platform, run);
  if (mapping === undefined) return failRun(platform, unitOfWork, id, keptError(mappingChanged(run)));
  const led = { platform, unitOfWork, db, run, mapping };
  // Listing takes long, and is done without the lock.
  if (run.step === 'list') return list(led);
  const locked = await lockRun(db, id);
  if (locked?.state === 'ACTIVE') await leadFrom({ ...led, run: locked }, run.step);
}

/** What is approved is done: first what makes and changes targets. Holds the lock of the run. */
export async function leadApproved(led: Led): Promise<void> {
  const { run } = led;
  if (!(await enter(led, 'apply', run.last_entry))) await leadFrom(led, 'apply');
}

async function leadFrom(led: Led, from: ReconStep): Promise<void> {
  const { platform, unitOfWork, run, mapping } = led;
  let { last_entry: lastEntry } = run;
  for (let step = NEXT[from]; ; step = NEXT[step]) {
    if (step === 'end') return endWell(led);
    if (step === 'link') {
      await refuseClaims(led.db, run.id, keptError(claimed(mapping)));
      if (isPlanned(run)) continue;
    }
    if (step === 'target') {
      if (!run.parameters.runTargetPhase) continue;
      lastEntry = await findTargets(led);
    }
    if (step === 'remove') {
      if (run.mode === 'plan') continue;
      const plansFirst = run.parameters.plansFirst === true && from !== 'apply';
      const refusal = from === 'apply' ? undefined : await refusalOf(led, plansFirst);
      if (refusal !== undefined) return endRun(platform, unitOfWork, run, 'FAILED', keptError(refusal));
      if (plansFirst) return leadApproved({ ...led, run: { ...run, last_entry: lastEntry } });
    }
    if (await enter(led, step, lastEntry)) return;
  }
}

/** Whether nothing is done before all is planned. */
function isPlanned({ mode, parameters }: ReconRun): boolean {
  return mode === 'plan' || parameters.plansFirst === true;
}

async function refusalOf({ db, run, mapping }: Led, plansFirst: boolean): Promise<ConflictError | undefined> {
  const limited = { db, run, mapping, counts: await countEntries(db, run.id) };
  return plansFirst ? overPlan(limited) : overRemoval(limited);
}

/** The script of the mapping is told what has come of it, where anything was done. */
async function endWell(led: Led): Promise<void> {
  const { platform, unitOfWork, db, run, mapping } = led;
  const told = async () => {
    const counts = await countEntries(db, run.id);
    const result = {
      source: situationsOf(counts, 'source'),
      target: situationsOf(counts, 'target'),
      global: summaryOf(run, counts, true),
    };
    await runResult({ platform, mapping, context: contextOf(run, unitOfWork) }, run.id, result);
    return { refusal: undefined };
  };
  const { refusal } =
    run.mode === 'plan' ? { refusal: undefined } : await unitOfWork.savepoint(told).catch(asRefusal);
  if (refusal === undefined) await endRun(platform, unitOfWork, run, 'SUCCESS', null);
  else await endRun(platform, unitOfWork, run, 'FAILED', keptError(refusal));
}

/** What waits at a step. */
export function waitingAt(step: ReconStep) {
  return {
    state: step === 'source' || step === 'target' ? 'listed' : 'planned',
    takesAway: step === 'remove',
  } as const;
}

/** @returns whether there is anything to do at the step */
async function enter(
  { platform, unitOfWork, db, run }: Led,
  step: ReconStep,
  lastEntry: number,
): Promise<boolean> {
  const chunks = await insertChunks(db, run.id, waitingAt(step), CHUNK_SIZE);
  const lanes = Math.min(MOST_LANES, chunks);
  await storeStep(db, run.id, { step, lanes, lastEntry });
  for (let n = 1; n <= lanes; n++) {
    const data = { run: run.id, lane: run.last_lane + n };
    await platform.queue.enqueue(unitOfWork, { queue: CHUNK_QUEUE, data });
  }
  return lanes > 0;
}

async function list(led: Led): Promise<void> {
  const { platform, unitOfWork, db, run, mapping } = led;
  // Told at once, so that one that lists for long can be seen to have begun.
  if (run.started_at === null) await apart(platform, async (own) => storeStarted(await own.db(), run.id));
  await freshenStatistics(platform.database.db);
  const found = await unitOfWork.savepoint(() => listSides(led)).catch(asRefusal);
  const locked = await lockRun(db, run.id);
  if (locked?.state !== 'ACTIVE') return removeListed(db, run.id);
  await recordStart(platform, unitOfWork, run, mapping);
  if ('refusal' in found) {
    return endRun(platform, unitOfWork, locked, 'FAILED', keptError(found.refusal));
  }
  await storeListed(db, run.id, found);
  const listed = { ...led, run: { ...locked, links: found.links, last_entry: found.lastEntry } };
  if (!(await enter(listed, 'source', found.lastEntry))) await leadFrom(listed, 'source');
}

async function listSides(led: Led): Promise<Listed & { readonly lastEntry: number }> {
  const { platform, unitOfWork, db, run, mapping } = led;
  const context = contextOf(run, unitOfWork);
  if (run.mode === 'apply') await runOnRecon({ platform, context, mapping }, run.id);
  const qualifiers = await qualifiersOf({ platform, context, mapping }, null, null);
  if (run.mode === 'apply') await platform.beforeListing(context, mapping.source);
  const source = side(led, 'source');
  await source.stage(context);
  const sources = await countListing(db, source.listing);
  const { runTargetPhase, allowEmptySourceSet } = run.parameters;
  if (sources === 0 && !allowEmptySourceSet) throw emptySource(mapping);
  const target = side(led, 'target');
  if (runTargetPhase) await target.stage(context);
  const targets = runTargetPhase ? await countListing(db, target.listing) : null;
  const print = pairPrintOf(platform, run, mapping);
  let lastEntry = 0;
  for (const qualifier of qualifiers) {
    await prunePrints(db, mapping, qualifier);
    const given = { run: run.id, after: lastEntry, mapping, qualifier, sources: source.listing, print };
    lastEntry += await insertSourceEntries(db, given);
  }
  await countEntriesAnew(db, lastEntry);
  return { sources, targets, links: await countLinks(db, mapping, qualifiers), lastEntry };
}

/** @returns the number of the last entry */
async function findTargets(led: Led): Promise<number> {
  const { platform, unitOfWork, db, run, mapping } = led;
  const context = contextOf(run, unitOfWork);
  const [sources, targets] = [side(led, 'source').listing, side(led, 'target').listing];
  let { last_entry: after } = run;
  for (const qualifier of await qualifiersOf({ platform, context, mapping }, null, null)) {
    after += await insertTargetEntries(db, { run: run.id, after, mapping, qualifier, sources, targets });
  }
  return after;
}

function side({ platform, run, mapping }: Led, end: 'source' | 'target'): Side {
  const { sourceQuery, targetQuery, sourceIds, ownQueries = [] } = run.parameters;
  const query = end === 'source' ? sourceQuery : targetQuery;
  const ids = end === 'source' ? sourceIds : undefined;
  const isOwn = ownQueries.includes(end);
  // Managed objects need no prints: the database itself knows in which state they are.
  const withPrints = mapping[end].startsWith('system/') && pairPrintOf(platform, run, mapping) !== null;
  const asked = { run: run.id, side: end, collection: mapping[end], query, ids, isOwn, withPrints };
  return sideOf(platform, asked);
}

/** A question that is wrong stays wrong; what goes wrong in the server may pass, so the job is tried again. */
function asRefusal(error: unknown): { readonly refusal: ResourceError } {
  const isFinal =
    error instanceof ScriptError ||
    (error instanceof ResourceError && (error.code < 500 || error.code === 501));
  if (isFinal) return { refusal: error };
  throw error;
}

function emptySource({ name, source }: Mapping): BadRequestError {
  return new BadRequestError(`'${source}' has no objects, so '${name}' was not reconciled`, {
    id: 'RECON_EMPTY_SOURCE',
    hint: 'allowEmptySourceSet of the mapping, or of the request, lets it be empty',
  });
}

function claimed({ target }: Mapping): ConflictError {
  return new ConflictError(`A target of '${target}' is like several sources`, {
    id: 'RECON_CLAIMED',
    hint: 'Link the right one below repo/link, or ask for more in the correlation',
  });
}

export function mappingChanged({ mapping }: Pick<ReconRun, 'mapping'>): ConflictError {
  return new ConflictError(`The mapping '${mapping}' is not what it was when the reconciliation began`, {
    id: 'RECON_MAPPING_CHANGED',
    hint: 'Begin anew: what was planned by another mapping is not done',
  });
}
