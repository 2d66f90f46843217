import { type RawBuilder, sql } from 'kysely';
import { ResourceError } from '#errors/index.ts';
import type { Holder } from './claimed.ts';

/** Thrown where work was done that is another node's by now: all that was stored for it goes. */
export class FencedOutError extends ResourceError {
  override readonly name = 'FencedOutError';
  constructor() {
    super(409, 'The job belongs to another node now; its effects were rolled back', {
      id: 'QUEUE_FENCED_OUT',
    });
  }
}

/**
 * The fence: whoever takes over from a node raises its epoch and takes its claims away, so that whatever an earlier
 * life of it still writes under this condition finds no row.
 */
export function heldBy({ nodeId, epoch }: Holder): RawBuilder<boolean> {
  return sql`node_id = ${nodeId} and node_epoch = ${epoch}`;
}
