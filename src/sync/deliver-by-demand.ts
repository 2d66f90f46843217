import { BadRequestError, didYouMean } from '#errors/index.ts';
import { internalContext, isWordOfCaller, type WriteContext } from '#resource/index.ts';
import { endAttached } from './attached.ts';
import { type Demand, deliver } from './deliver.ts';
import { lockDelivery, qualifiersOf, readSource } from './deliver-source.ts';
import type { Mapping } from './mapping.ts';
import { isOutside } from './outside.ts';
import type { SyncPlatform } from './stage.ts';
import type { SyncRecord } from './sync-record.ts';

interface DemandedDelivery {
  readonly sourceId: string;
  /** The target that is meant, where the mapping finds none or several. */
  readonly targetId: string | null;
  readonly qualifier: string;
  readonly demand: Demand;
}

/**
 * Has one action done, whatever policies say; what fails changes nothing.
 *
 * @throws BadRequestError `SYNC_UNKNOWN_QUALIFIER`, and what stands against the action
 */
export async function deliverByDemand(
  platform: SyncPlatform,
  context: WriteContext,
  mapping: Mapping,
  { sourceId, targetId, qualifier, demand }: DemandedDelivery,
): Promise<SyncRecord> {
  // The caller says which target is written, and how, and not the mapping.
  const saysForCaller = isWordOfCaller(context);
  const inner = { ...internalContext(context), saysForCaller, unitOfWork: context.unitOfWork };
  const stage = { platform, mapping, context: inner, isAttached: isOutside(mapping.target) };
  await lockDelivery(stage, sourceId);
  const source = await readSource(stage, sourceId);
  const qualifiers = await qualifiersOf(stage, source, null);
  if (!qualifiers.includes(qualifier)) {
    throw new BadRequestError(`'${mapping.name}' has no link qualifier '${qualifier.slice(0, 100)}'`, {
      id: 'SYNC_UNKNOWN_QUALIFIER',
      field: 'linkQualifier',
      hint: didYouMean(qualifier, qualifiers) ?? `There are ${qualifiers.join(', ')}`,
    });
  }
  const inquiry = { sourceId, source, oldSource: null };
  const record = await deliver({ ...stage, qualifier }, inquiry, { demand, targetId });
  if (stage.isAttached) endAttached(stage, sourceId);
  return record;
}
