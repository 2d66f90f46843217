import type { UnitOfWork } from '#database/index.ts';
import { contextOf, type Foreseen, foreseeCorrelations, type Mapping, readSources } from '#sync/index.ts';
import { apart } from '#work/index.ts';
import type { Chunk } from './chunk-repository.ts';
import { listUnlinked } from './entry-repository.ts';
import { waitingAt } from './lead-run.ts';
import type { ReconPlatform } from './recon-platform.ts';
import type { ReconEntry, ReconRun } from './recon-run.ts';
import { type ForeseenEntry, isPlan } from './reconcile-entry.ts';

/** So few are asked for one by one. */
const FEW = 3;

/**
 * Finds out about many entries of a chunk at once: the targets of sources that are not linked, with one query for many; and the sources
 * themselves. What stands against it is no matter of the chunk: then each is asked for when its turn comes, and told what is wrong.
 */
export async function foresee(
  platform: ReconPlatform,
  run: ReconRun,
  mapping: Mapping,
  chunk: Chunk,
  open: readonly ReconEntry[],
): Promise<(entry: ReconEntry) => ForeseenEntry> {
  const state = run.step === 'link' ? 'planned' : 'listed';
  if (open.length <= FEW) return () => ({});
  const looked = open.filter((entry) => entry.state === state && entry.phase === 'source');
  const isRehearsal = waitingAt(run.step).state === 'listed' && isPlan(run);
  const { findsByIds, mappings } = platform;
  // The revision of a managed object tells whether it is still as it was read, if nothing of it is calculated.
  const isReadTogether =
    isRehearsal ||
    (mapping.source.startsWith('managed/') ? mappings.isPlain(mapping.source) : findsByIds(mapping.source));
  const ids = [...new Set(open.flatMap(({ source_id }) => source_id ?? []))];
  const sources = isReadTogether
    ? await aside(platform, (unitOfWork) => readSources(platform, contextOf(run, unitOfWork), mapping, ids))
    : undefined;
  const targets = new Map<string, ReadonlyMap<string, Foreseen>>();
  if (mapping.correlations.length > 0 && looked.length > FEW) {
    for (const qualifier of new Set(looked.map((entry) => entry.qualifier))) {
      const found = await aside(platform, async (unitOfWork) => {
        const db = await unitOfWork.db();
        const unlinked = await listUnlinked(db, run.id, mapping, { ...chunk, qualifier, state });
        if (unlinked.length <= FEW) return undefined;
        return foreseeCorrelations(platform, contextOf(run, unitOfWork), mapping, qualifier, unlinked);
      });
      if (found !== undefined) targets.set(qualifier, found);
    }
  }
  return ({ qualifier, source_id }) => ({
    foreseen: targets.get(qualifier)?.get(source_id ?? ''),
    source: sources?.get(source_id ?? ''),
  });
}

/** Nothing of it stays. @returns undefined where it fails */
function aside<T>(
  platform: ReconPlatform,
  work: (unitOfWork: UnitOfWork) => Promise<T>,
): Promise<T | undefined> {
  const begun = (unitOfWork: UnitOfWork) => unitOfWork.savepoint(() => work(unitOfWork), { keep: false });
  return apart(platform, begun).catch(() => undefined);
}
