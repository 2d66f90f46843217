import { isObject, type JsonObject } from '#json/index.ts';
import { type Context, type SecurityContext, systemContext, type WriteContext } from '#resource/index.ts';
import type { Cause } from './outbox-repository.ts';

const known = new WeakMap<SecurityContext, Cause>();

/** Who has made a change, to be kept: who they were and what they might do then, and nothing that they came in with. */
export function causeOf({ security, transactionId }: Pick<Context, 'security' | 'transactionId'>): Cause {
  const before = known.get(security);
  if (before?.transaction_id === transactionId) return before;
  const { authenticationId, authorization } = security;
  const { id, component, roles } = authorization;
  const kept: JsonObject = { authenticationId, authorization: { id, component, roles: [...roles] } };
  const cause = { transaction_id: transactionId, security: kept };
  known.set(security, cause);
  return cause;
}

/** The context of what follows later from a change, in the name of who has made it. */
export function contextOf(
  { transaction_id, security }: Cause,
  unitOfWork: WriteContext['unitOfWork'],
): WriteContext {
  const context = systemContext(securityOf(security), transaction_id ?? undefined);
  return { ...context, unitOfWork };
}

function securityOf(kept: JsonObject | null): SecurityContext | undefined {
  const { authenticationId, authorization = null } = kept ?? {};
  if (typeof authenticationId !== 'string' || !isObject(authorization)) return undefined;
  const { id, component, roles } = authorization;
  return {
    authenticationId,
    authorization: {
      id: String(id),
      component: String(component),
      roles: Array.isArray(roles) ? roles.map(String) : [],
    },
  };
}
