import { isObject, type JsonValue } from '#json/index.ts';
import { type SecurityContext, SYSTEM } from '#resource/index.ts';

/** The identity that an instance has kept of whoever started it; that of the server when nobody did. */
export function readSecurity(kept: JsonValue | undefined): SecurityContext {
  if (!isObject(kept) || typeof kept['authenticationId'] !== 'string') return SYSTEM;
  const { authenticationId, authorization } = kept;
  const given = isObject(authorization) ? authorization : {};
  const roles = Array.isArray(given['roles']) ? given['roles'].map(String) : [];
  return {
    authenticationId,
    authorization: {
      ...given,
      id: String(given['id'] ?? authenticationId),
      component: String(given['component'] ?? 'managed/user'),
      roles,
    },
  };
}
