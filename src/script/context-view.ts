import { asJson, cloneJson, type JsonObject } from '#json/index.ts';
import { type Context, clientData, httpData } from '#resource/index.ts';

/**
 * The context chain as it goes into the sandbox: each link by its name, the innermost first. `bindings/context.js`
 * makes of it what scripts see. `caller` is no link; it says whether the call came from outside.
 */
export function contextView(context: Context): JsonObject {
  const { router, http, client } = context;
  // What only a login asks for, or a change of the modules, says nothing to scripts.
  const { formerSession, pendingLogin, stamp, cameBy, administers, ...security } = context.security;
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
      transactionId: { value: context.transactionId, subTransactionIdCounter: context.made.count },
    },
    root: { name: 'root', id: context.id },
    caller: { name: 'client', external: client.isExternal },
  };
}

/** Links that the chain has only while the one named stands in it, or one inside of it. */
const WITH_ROUTER: readonly string[] = ['router'];
const WITH_HTTP: readonly string[] = [...WITH_ROUTER, 'advice', 'http'];

/**
 * The context without the links inside the one named. Who acts, and in which unit of work, stays as it is whatever
 * the name: the text comes from a script, which must not get the better of it.
 */
export function contextFrom(context: Context, link: string): Context {
  const { router, http, ...outer } = context;
  return {
    ...outer,
    http: WITH_HTTP.includes(link) ? http : null,
    ...(router !== undefined && WITH_ROUTER.includes(link) ? { router } : {}),
  };
}

function copy(link: object): JsonObject {
  return cloneJson(asJson(link));
}
