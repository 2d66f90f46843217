import { type RawBuilder, sql } from 'kysely';
import { ResourceError } from '#errors/index.ts';
import type { Holder } from './claimed.ts';
import { SUSPECT_FROM } from './suspicion.ts';

/** Thrown where work was done that is another node's by now: all that was stored for it goes. */
export class FencedOutError extends ResourceError {
  override readonly name = 'FencedOutError';

  constructor(what = 'job', id = 'QUEUE_FENCED_OUT') {
    super(409, `The ${what} belongs to another node now; its effects were rolled back`, { id });
  }
}

/**
 * The fence: whoever takes over from a node raises its epoch and takes its claims away, so that whatever an earlier
 * life of it still writes under this condition finds no row.
 */
export function heldBy({ nodeId, epoch }: Holder): RawBuilder<boolean> {
  return sql`node_id = ${nodeId} and node_epoch = ${epoch}`;
}

/** As `heldBy`, of this life and earlier ones. */
export function heldByLivesOf({ nodeId, epoch }: Holder): RawBuilder<boolean> {
  return sql`node_id = ${nodeId} and node_epoch <= ${epoch}`;
}

/** As `heldBy`, of the row `r` that was found by its own key: the sum keeps the planner from looking among all that the node holds. */
export function heldAs(nodeId: RawBuilder<unknown>, epoch: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`r.node_id + 0 = ${nodeId} and r.node_epoch = ${epoch}`;
}

/** What this life has in memory: nobody else does anything with it, and it goes with that life. */
export function ownedBy({ nodeId, epoch }: Holder): RawBuilder<boolean> {
  return sql`owner_id = ${nodeId} and owner_epoch = ${epoch}`;
}

/** As `ownedBy`, of this life and earlier ones. */
export function ownedByLivesOf({ nodeId, epoch }: Holder): RawBuilder<boolean> {
  return sql`owner_id = ${nodeId} and owner_epoch <= ${epoch}`;
}

/** Whether this life goes on: a node that was given up claims nothing. */
export function isAlive({ nodeId, epoch, life }: Holder): RawBuilder<boolean> {
  const isThisOne = life === undefined ? sql`` : sql` and life = ${life}`;
  return sql`exists (select 1 from cluster_node where id = ${nodeId} and epoch = ${epoch} and state = 'running'${isThisOne})`;
}

/** Whether the life of `epoch` of the node `n` is over: one that was given up while its claim was on the way leaves work behind. */
export function isOver(epoch: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${epoch} < n.epoch or n.state = 'down')`;
}

/** The first life of the node `n` that is not over, which an index can look for. */
export function firstLifeOf(): RawBuilder<number> {
  return sql`n.epoch + case n.state when 'down' then 1 else 0 end`;
}

/**
 * How many deaths of nodes this work may have caused, now that one more has died while it was under way. Where other work was under way,
 * too, the count stops at `SUSPECT_FROM`: the next death, with nothing beside it, is its own.
 */
export function suspectedAfter(
  before: RawBuilder<unknown>,
  wasAlone: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql`case when ${wasAlone} then ${before} + 1
                  else greatest(${before}, least(${before} + 1, ${sql.lit(SUSPECT_FROM)})) end`;
}
