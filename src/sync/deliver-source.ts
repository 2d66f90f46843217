import { LOCK, lockNamed } from '#database/index.ts';
import { InternalServerError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { internalContext, type WriteContext } from '#resource/index.ts';
import { endAttached, inTime, undoLeftOver } from './attached.ts';
import { cautiously, deliverApart, noteFailed, requireSurvivable } from './deliver.ts';
import { holdBack } from './held-repository.ts';
import { goDeeper } from './loop-guard.ts';
import type { Mapping } from './mapping.ts';
import { runScript } from './mapping-scripts.ts';
import { takeOut, tryAgain } from './outbox.ts';
import { isAway } from './outside.ts';
import { readObject } from './read-object.ts';
import type { Stage, SyncPlatform } from './stage.ts';
import { recordOf, type SyncRecord } from './sync-record.ts';
import { kindOfValue } from './value-key.ts';

/** A source object whose targets are to follow it. */
export interface SourceObject {
  readonly id: string;
  /** The source as it was before the change that is delivered; null where nobody knows. */
  readonly oldSource: JsonObject | null;
  /** The source as it is, where somebody has just read it; null where it is gone. */
  readonly source?: JsonObject | null;
  /** How often it has failed before. */
  readonly failures?: number;
  /** It is one of many that nobody has looked at: what would take something away is held. */
  readonly isCautious?: boolean;
  /** The generation of the row of the outbox, which nobody holds meanwhile; a row of another generation stays. */
  readonly generation?: string;
  /** Another system is asked in the unit of work of the change. */
  readonly isAttached?: boolean;
  /** Values that cannot be read back are written, though they are thought to be there. */
  readonly isForced?: boolean;
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
  const { id, oldSource, failures = 0, isCautious = false, isAttached = false, isForced = false } = object;
  const { generation } = object;
  const failed = (error: unknown) => (isAway(error) ? failures : failures + 1);
  const { unitOfWork } = outer;
  const inner = { ...internalContext(isAttached ? inTime(outer) : outer), unitOfWork };
  const stage = { platform, mapping, isAttached, isForced, context: goDeeper(inner, mapping, id) };
  await lockDelivery(stage, id);
  const read = async () => {
    const source = object.source === undefined ? await readSource(stage, id) : object.source;
    return { source, qualifiers: await qualifiersOf(stage, source, oldSource) };
  };
  const found = await unitOfWork.savepoint(read).catch((error: unknown) => ({ error }));
  if ('error' in found) {
    requireSurvivable(stage.context, found.error);
    const [qualifier = 'default'] = 'language' in mapping.linkQualifiers ? [] : mapping.linkQualifiers;
    const scope = { ...stage, qualifier };
    await noteFailed(scope, id, found.error, {});
    await tryAgain(stage, { sourceId: id, oldSource }, failed(found.error), found.error);
    return [recordOf(scope, id, {}, found)];
  }
  const { source, qualifiers } = found;
  const records: SyncRecord[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isHeld = false;
  for (const qualifier of qualifiers) {
    const scope = { ...stage, qualifier };
    const options = isCautious ? { admit: cautiously } : {};
    const apart = await deliverApart(scope, { sourceId: id, source, oldSource }, options);
    records.push(apart.record);
    failure ??= apart.failure;
    isHeld ||= apart.stop === 'held';
  }
  failure ??= await undoLeftOver(stage, id);
  const known = source === null ? oldSource : null;
  if (failure === undefined && isHeld) await holdBack(await unitOfWork.db(), mapping.name, id);
  else if (failure === undefined) await takeOut(stage, id, generation);
  else await tryAgain(stage, { sourceId: id, oldSource: known }, failed(failure.error), failure.error);
  if (isAttached) endAttached(stage, id);
  return records;
}

/** Others who deliver the same wait until this unit of work has ended. To be had before the source is read, which could be older else. */
export async function lockDelivery({ mapping, context }: Stage, id: string): Promise<void> {
  await lockNamed(await context.unitOfWork.db(), LOCK.deliveryOf(mapping.name, id));
}

/** The source as it is now, null where it is gone. */
export function readSource(stage: Stage, id: string): Promise<JsonObject | null> {
  return readObject(stage, stage.mapping.source, id, namesRead(stage.mapping));
}

/** First names of what the mapping reads of a source besides all that an object usually shows. */
export function namesRead({ properties, sourceCondition, policies }: Mapping): ReadonlySet<string> {
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
    `'${name} linkQualifiers' answers ${kindOfValue(value)}, which is no list of names`,
    { id: 'SYNC_BAD_QUALIFIERS' },
  );
}
