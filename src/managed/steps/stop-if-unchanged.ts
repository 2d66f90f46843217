import { equalJson } from '#json/index.ts';
import type { Exchange } from '../exchange.ts';

/** An update that changes nothing runs no hooks and makes no revision. */
export function stopIfUnchanged(exchange: Exchange): void {
  exchange.done = equalJson(exchange.object, exchange.stored!.data);
}
