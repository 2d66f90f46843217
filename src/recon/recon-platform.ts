import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { JsonObject } from '#json/index.ts';
import type { Queue } from '#queue/index.ts';
import type { Router, WriteContext } from '#resource/index.ts';
import { type Mapping, mappingNamed, type StoringPlatform } from '#sync/index.ts';
import type { ReconRun } from './recon-run.ts';

/** What the room stands on. */
export interface ReconPlatform extends Omit<StoringPlatform, 'queue'> {
  readonly queue: Queue;
  /** Says what a caller may ask. */
  readonly router: Pick<Router, 'admit' | 'mayAsk' | 'maySeeScripts' | 'requireScriptRight'>;
  /** Is told of a collection that is about to be listed as a source: what changes from then on is not to be lost. */
  readonly beforeListing: (context: WriteContext, collection: string) => Promise<void>;
  /** Whether many objects of another system are found by their ids with one question. */
  readonly findsByIds: (collection: string) => boolean;
  /** Records of ended runs that are kept. */
  readonly keepRuns: () => number;
  /** Records in the audit what a reconciliation has done, with the unit of work that does it. */
  readonly recordRecon: (context: WriteContext, facts: JsonObject, objectId: string | null) => Promise<void>;
}

/** Queues of the room: one leads a run from step to step, the other does what there is to do about its entries. */
export const STEP_QUEUE = 'recon-step';
export const CHUNK_QUEUE = 'recon-chunk';
/** Chunks that a node works on at a time. */
export const LANES_OF_NODE = 2 * availableParallelism();

const prints = new WeakMap<Mapping, string>();

/** The print of a mapping as it is written: two with the same print do the same. */
export function printOf(mapping: Mapping): string {
  const known = prints.get(mapping);
  if (known !== undefined) return known;
  const { written, linkType } = mapping;
  const print = createHash('sha256')
    .update(JSON.stringify([written, linkType]))
    .digest('base64url');
  prints.set(mapping, print);
  return print;
}

/**
 * The same of all that decides about a linked pair besides the revisions of its two objects.
 *
 * @returns null where more does: then each pair is looked at
 */
export function pairPrintOf(
  { mappings }: Pick<ReconPlatform, 'mappings'>,
  { parameters }: ReconRun,
  mapping: Mapping,
): string | null {
  if (parameters.keepsAll === true || parameters.supposed !== undefined) return null;
  const decision = mapping.enableLinking ? mappings.decisionOf(mapping) : undefined;
  return decision === undefined ? null : createHash('sha256').update(decision).digest('base64url');
}

/** @returns the mapping of a run; undefined where it is another one now, or is gone */
export function mappingOf(platform: Pick<ReconPlatform, 'mappings'>, run: ReconRun): Mapping | undefined {
  const mapping = shownMapping(platform, run);
  return mapping !== undefined && printOf(mapping) === run.print ? mapping : undefined;
}

/** The same of what is to be done: by no other mapping than the one in force. */
export function mappingInForce(
  { mappings }: Pick<ReconPlatform, 'mappings'>,
  run: ReconRun,
): Mapping | undefined {
  const mapping = mappings.named(run.mapping);
  return mapping !== undefined && printOf(mapping) === run.print ? mapping : undefined;
}

/** The mapping that a run is about, though it may be another one now. */
export function shownMapping(
  { mappings }: Pick<ReconPlatform, 'mappings'>,
  { mapping: name, mode, parameters: { supposed } }: ReconRun,
): Mapping | undefined {
  return mode === 'plan' && supposed !== undefined ? mappings.supposed(supposed) : mappings.named(name);
}

/** @throws NotFoundError `SYNC_NO_MAPPING` */
export function namedMapping({ mappings }: Pick<ReconPlatform, 'mappings'>, name: string): Mapping {
  return mappingNamed(mappings, name);
}
