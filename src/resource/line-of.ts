import { networkOf } from './internet-address.ts';

/** The part of a context that is looked at here. */
interface Sender {
  readonly security: {
    readonly authorization: {
      readonly id: string;
      readonly component: string;
      readonly [key: string]: unknown;
    };
  };
  readonly client: { readonly isExternal: boolean; readonly remoteAddress: string };
}

/** A name and password that stand in the configuration are known to many. */
const SHARED = 'STATIC_USER';

/**
 * In whose line a request waits where callers take turns: in that of its caller, or, where that may be anybody, such as
 * `anonymous`, of their network. Undefined for what the server asks itself.
 */
export function lineOf({ security, client }: Sender): string | undefined {
  if (!client.isExternal) return undefined;
  const { component, id, moduleId, loginModuleId } = security.authorization;
  const isShared = [moduleId, loginModuleId].includes(SHARED);
  return isShared ? `${component}/${id} at ${networkOf(client.remoteAddress)}` : `${component}/${id}`;
}
