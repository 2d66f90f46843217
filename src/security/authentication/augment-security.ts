import { clientData, httpData, lineOf, rootContext } from '#resource/index.ts';
import {
  type BindingsOf,
  parseScriptReference,
  type Scripts,
  type ScriptUse,
  type ScriptWork,
  workKind,
} from '#script/index.ts';
import type { Augment } from './augmentation.ts';

const FOR_DELEGATION = { type: 'null', says: 'null: there is no delegated administration here' } as const;

/** The script of an authentication module. */
export const AUGMENT_USE = {
  title: 'augmentSecurityContext of an authentication module',
  bindings: {
    security: { type: 'object', says: '`authenticationId` and `authorization` of who comes in', keeps: true },
    properties: { type: 'object', says: 'the properties of the module' },
    httpRequest: { type: 'object', says: 'the request of HTTP, or null' },
    resource: FOR_DELEGATION,
    subjectMapping: FOR_DELEGATION,
    privileges: FOR_DELEGATION,
  },
} as const satisfies ScriptUse;

const FIELD = '/augmentSecurityContext';

/** Runs the script of a module. */
export const AUGMENTATION = workKind<Parameters<Augment>[0], Awaited<ReturnType<Augment>>>('augment');

/**
 * Runs the script of a module where scripts run. It is told who comes in, and acts in their name with the rights of the
 * server, as hooks do.
 *
 * @param scriptDepth how many scripts may wait for it
 */
export function augmentHere(scripts: () => Scripts, scriptDepth: number): Augment {
  return async ({ script, module, properties, security, client, http, requestId }) => {
    const facts = { id: requestId, transactionId: `${requestId}/login`, receivedAt: Date.now() };
    // A transaction of the caller may wait for whose it is now.
    const context = { ...rootContext({ ...facts, security, client, http }), scriptDepth, callersAtWork: 1 };
    const { authenticationId, authorization } = security;
    const { value, bindings } = await scripts().evaluate(context, {
      reference: parseScriptReference(script, FIELD),
      label: `${module} augmentSecurityContext`,
      bindings: {
        security: JSON.parse(JSON.stringify({ authenticationId, authorization })),
        properties,
        httpRequest: http === null ? null : JSON.parse(JSON.stringify(http)),
        // What newer servers give to scripts of delegated administration, of which there is none here.
        resource: null,
        subjectMapping: null,
        privileges: null,
      } satisfies BindingsOf<typeof AUGMENT_USE>,
      returnBindings: ['security'],
    });
    return { value, security: bindings['security'] ?? null };
  };
}

/** Has it run in a script thread. */
export function augmentIn(threads: () => ScriptWork): Augment {
  return (augmentation) => {
    const { client, http } = augmentation;
    const caller = lineOf(augmentation);
    return threads().run({
      kind: AUGMENTATION,
      payload: { ...augmentation, client: clientData(client), http: httpData(http) },
      // It is run with each request anyway.
      repeatable: true,
      ...(caller === undefined ? {} : { caller }),
    });
  };
}
