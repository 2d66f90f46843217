import { contextOf, type Foreseen, foreseeCorrelations, type Mapping } from '#sync/index.ts';
import { apart } from '#work/index.ts';
import type { Chunk } from './chunk-repository.ts';
import { listUnlinked } from './entry-repository.ts';
import type { ReconPlatform } from './recon-platform.ts';
import type { ReconEntry, ReconRun } from './recon-run.ts';

/** So few are asked for one by one. */
const FEW = 3;

/**
 * Finds the targets of those sources of a chunk that are not linked, many with one query. What stands against it is no matter of the chunk:
 * then each is asked for when its turn comes, and told what is wrong.
 */
export async function foresee(
  platform: ReconPlatform,
  run: ReconRun,
  mapping: Mapping,
  chunk: Chunk,
  open: readonly ReconEntry[],
): Promise<(entry: ReconEntry) => Foreseen | undefined> {
  const foreseen = new Map<string, ReadonlyMap<string, Foreseen>>();
  const state = run.step === 'link' ? 'planned' : 'listed';
  const looked = open.filter((entry) => entry.state === state && entry.phase === 'source');
  if (mapping.correlations.length === 0 || looked.length <= FEW) return () => undefined;
  for (const qualifier of new Set(looked.map((entry) => entry.qualifier))) {
    const found = await apart(platform, async (unitOfWork) => {
      const ids = await listUnlinked(await unitOfWork.db(), run.id, mapping, { ...chunk, qualifier, state });
      if (ids.length <= FEW) return undefined;
      const context = contextOf(run, unitOfWork);
      const ask = () => foreseeCorrelations(platform, context, mapping, qualifier, ids);
      return unitOfWork.savepoint(ask, { keep: false });
    }).catch(() => undefined);
    if (found !== undefined) foreseen.set(qualifier, found);
  }
  return ({ qualifier, source_id }) => foreseen.get(qualifier)?.get(source_id ?? '');
}
