import { cloneJson, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';

/** The context chain as scripts see it, each link by its name; `caller` says whether the call came from outside. */
export function contextView(context: Context): JsonObject {
  return {
    security: cloneJson(context.security as unknown as JsonValue),
    client: { name: 'client', ...context.client },
    caller: { name: 'client', external: context.client.isExternal },
    transactionId: { name: 'transactionId', transactionId: { value: context.transactionId } },
    requestAudit: { name: 'requestAudit', receivedTime: context.receivedAt },
    root: { name: 'root', id: context.id },
    ...(context.http === null
      ? {}
      : { http: { name: 'http', ...cloneJson(context.http as unknown as JsonValue as JsonObject) } }),
  };
}
