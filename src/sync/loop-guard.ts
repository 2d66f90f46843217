import { errorIdOf, InternalServerError } from '#errors/index.ts';
import type { WriteContext } from '#resource/index.ts';
import type { Mapping } from './mapping.ts';

/** How many deliveries may follow from one another: mappings that never agree would go on for ever. */
const DEEPEST = 8;

/**
 * The context of what a delivery asks.
 *
 * @throws InternalServerError `SYNC_LOOP`, by which the first of them fails, and leaves nothing of all that followed from it
 */
export function goDeeper(context: WriteContext, { name, source }: Mapping, id: string): WriteContext {
  const deliveries = [...(context.deliveries ?? []), `${name} of ${source}/${id}`];
  if (deliveries.length <= DEEPEST) return { ...context, deliveries };
  throw new InternalServerError(`More than ${DEEPEST} deliveries follow from one another`, {
    id: 'SYNC_LOOP',
    hint: `Mappings do not agree on what an object is to be: ${deliveries.slice(-3).join(', then ')}`,
  });
}

export function isLoop(error: unknown): boolean {
  return errorIdOf(error) === 'SYNC_LOOP';
}
