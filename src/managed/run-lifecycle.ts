import { type Resource, resource } from '#resource/index.ts';
import type { Exchange } from './exchange.ts';
import { lifecycle } from './lifecycle.ts';

/** Runs an exchange to its end. Its answer has been cut to the fields that were asked for. */
export async function runLifecycle(exchange: Exchange): Promise<Resource> {
  await lifecycle(exchange);
  const revision = exchange.rev === null ? null : String(exchange.rev);
  const { request, stored, times } = exchange;
  const externalId = stored?.external_id;
  return {
    ...resource(exchange.id, revision, exchange.answer ?? {}),
    ...(request.withTimes === true && times !== null ? { times } : {}),
    ...(request.knownTo === undefined || externalId === undefined ? {} : { externalId }),
    fieldsSelected: true,
  };
}
