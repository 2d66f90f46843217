import { LOCK, lockNamed } from '#database/index.ts';
import { InternalServerError, ResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { internalContext, type WriteContext } from '#resource/index.ts';
import { deliverApart, noteFailed } from './deliver.ts';
import { goDeeper, isLoop } from './loop-guard.ts';
import type { Mapping } from './mapping.ts';
import { runScript } from './mapping-scripts.ts';
import { takeOut, tryAgain } from './outbox.ts';
import { readObject } from './read-object.ts';
import type { Stage, SyncPlatform } from './stage.ts';
import { recordOf, type SyncRecord } from './sync-record.ts';

/** A source object whose targets are to follow it. */
export interface SourceObject {
  readonly id: string;
  /** As it was before the change that is delivered; null where nobody knows. */
  readonly oldSource: JsonObject | null;
  /** How often it has failed before. */
  readonly failures?: number;
}

/**
 * Brings the targets of a source object by one mapping to what that makes of it, one for each link qualifier. What fails leaves
 * nothing but that it did.
 */
export async function deliverSource(
  platform: SyncPlatform,
  outer: WriteContext,
  mapping: Mapping,
  object: SourceObject,
): Promise<readonly SyncRecord[]> {
  const { id, oldSource, failures = 0 } = object;
  const inner = { ...internalContext(outer), unitOfWork: outer.unitOfWork };
  const stage = { platform, mapping, context: goDeeper(inner, mapping, id) };
  try {
    const source = await readSource(stage, id);
    const records: SyncRecord[] = [];
    let failure: { readonly error: unknown } | undefined;
    for (const qualifier of await qualifiersOf(stage, source, oldSource)) {
      const apart = await deliverApart({ ...stage, qualifier }, { sourceId: id, source, oldSource });
      records.push(apart.record);
      failure ??= apart.failure;
    }
    const known = source === null ? oldSource : null;
    if (failure === undefined) await takeOut(stage, id);
    else await tryAgain(stage, { sourceId: id, oldSource: known }, failures + 1, failure.error);
    return records;
  } catch (error) {
    const { unitOfWork } = outer;
    unitOfWork.noteFailure(error);
    const isOurs = error instanceof ResourceError && unitOfWork.failure === undefined;
    if (!isOurs || unitOfWork.stopped !== undefined || isLoop(error)) throw error;
    const [qualifier = 'default'] = 'language' in mapping.linkQualifiers ? [] : mapping.linkQualifiers;
    const scope = { ...stage, qualifier };
    await noteFailed(scope, id, error, {});
    await tryAgain(stage, { sourceId: id, oldSource }, failures + 1, error);
    return [recordOf(scope, id, {}, { error })];
  }
}

/**
 * The source as it is now, null where it is gone, to be delivered in this unit of work: others wait until that has ended. Read before
 * they had, it could be older than what they have brought.
 */
export async function readSource(stage: Stage, id: string): Promise<JsonObject | null> {
  const { mapping, context } = stage;
  await lockNamed(await context.unitOfWork.db(), LOCK.deliveryOf(mapping.name, id));
  return readObject(stage, mapping.source, id, namesRead(mapping));
}

/** First names of what the mapping reads of a source besides all that an object usually shows. */
function namesRead({ properties, sourceCondition, policies }: Mapping): ReadonlySet<string> {
  const conditions = [
    sourceCondition,
    ...properties.map(({ condition }) => condition),
    ...[...policies.values()].flat().map(({ condition }) => condition),
  ];
  const inConditions = conditions.flatMap((condition) =>
    condition?.kind === 'filter'
      ? condition.pointers.flatMap(([first, name]) => (isSource(first) ? (name ?? []) : []))
      : [],
  );
  return new Set([...properties.flatMap(({ source }) => source?.[0] ?? []), ...inConditions]);
}

function isSource(variable: string | undefined): boolean {
  return variable === 'object' || variable === 'source';
}

/**
 * For which link qualifiers there may be targets.
 *
 * @throws InternalServerError `SYNC_BAD_QUALIFIERS` for an answer of a script that is no list of names
 */
export async function qualifiersOf(
  stage: Stage,
  source: JsonObject | null,
  oldSource: JsonObject | null,
): Promise<readonly string[]> {
  const { linkQualifiers, name } = stage.mapping;
  if (!('language' in linkQualifiers)) return linkQualifiers;
  const { value } = await runScript(stage, {
    use: 'linkQualifiers',
    reference: linkQualifiers,
    bindings: { mapping: name, object: source, oldValue: oldSource, returnAll: source === null },
  });
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')) {
    return [...new Set(value.map(String))];
  }
  throw new InternalServerError(
    `'${name} linkQualifiers' answers ${JSON.stringify(value).slice(0, 120)}, which is no list of names`,
    { id: 'SYNC_BAD_QUALIFIERS' },
  );
}
