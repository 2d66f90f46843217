import { cloneJson, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Context, clientData, httpData } from '#resource/index.ts';

/**
 * The context chain as it goes into the sandbox: each link by its name, the innermost first. `bindings/context.js`
 * makes of it what scripts see. `caller` is no link; it says whether the call came from outside.
 */
export function contextView(context: Context): JsonObject {
  const { router, http, client, security } = context;
  return {
    ...(router === undefined
      ? {}
      : { router: { name: 'router', ...router, uriTemplateVariables: { ...router.uriTemplateVariables } } }),
    ...(http === null
      ? {}
      : {
          advice: { name: 'advice', restrictedAdviceNames: [], advice: {} },
          http: { name: 'http', ...copy(httpData(http)!) },
        }),
    security: { name: 'security', ...copy(security) },
    client: {
      name: 'client',
      remoteUser: '',
      certificates: [],
      localAddress: '',
      localPort: -1,
      ...clientData(client),
    },
    ...(http === null ? {} : { attributes: { name: 'attributes', attributes: {} } }),
    requestAudit: { name: 'requestAudit', receivedTime: context.receivedAt },
    ...(http === null ? {} : { session: { name: 'session', session: {} } }),
    transactionId: {
      name: 'transactionId',
      transactionId: { value: context.transactionId, subTransactionIdCounter: 0 },
    },
    root: { name: 'root', id: context.id },
    caller: { name: 'client', external: client.isExternal },
  };
}

function copy(link: object): JsonObject {
  return cloneJson(link as unknown as JsonValue as JsonObject);
}
