import { equalJson } from '#json/index.ts';
import type { PatchRequest, UpdateRequest } from '#resource/index.ts';
import type { Change, Exchange } from '../exchange.ts';
import { isEmptyPlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import { isProtectionCurrent } from '../secret.ts';

/**
 * An update that changes nothing runs no hooks and makes no revision. It goes on when a stored secret is no longer
 * protected as the type asks, and always where it would tell a caller what is not shown.
 */
export function stopIfUnchanged(exchange: Change<UpdateRequest | PatchRequest>): void {
  const { before, object, overwritten, platform, stored, type } = exchange;
  if (overwritten.size > 0) return;
  const names = new Set([...Object.keys(object), ...Object.keys(before)]);
  for (const name of names) {
    const relationship = type.relationships.get(name);
    if (relationship === undefined) {
      if (!equalJson(object[name], before[name])) return;
    } else if (object[name] !== undefined && !equalJson(object[name], before[name])) {
      const stays = isEmptyPlan(planWanted(exchange, relationship, object[name]));
      if (!stays) return;
    }
  }
  exchange.isUnchanged = isProtectionCurrent(platform.crypto, type, stored.data);
}
stopIfUnchanged.applies = ({ edit }: Exchange) => edit === null;
