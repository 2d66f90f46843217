import { at, debug, error, errorFacts, type Lines, ms, warn } from './line.ts';

/** Requests, and who makes them. */
export const DOOR_LINES: Lines<'http' | 'login' | 'issuer'> = {
  'http.answered': ({ method, path, status, ms: span, requestId }) =>
    debug(`${method} ${path} ${status}`, { took: ms(span), requestId }),
  'http.refused': ({ address, status, why }) =>
    warn(`message from ${address} refused: ${status} ${why}`, { address }),
  'http.failed': ({ method, path, requestId, error: thrown }) =>
    error(`${method} ${path} failed unexpectedly`, { requestId, ...errorFacts(thrown) }),

  'login.attempted': ({ result, principal, address }) =>
    at(
      result === 'FAILED' ? 'warn' : 'info',
      `login of '${principal}' from ${address}: ${result.toLowerCase()}`,
      { principal, address },
    ),
  'login.refused': ({ address, why }) => debug(`login from ${address} refused: ${why}`, { address }),
  'login.denied': ({ how, module, principal, requestId, error: thrown }) =>
    at(
      how === 'failed' ? 'error' : 'info',
      `augmentSecurityContext of ${module} ${how === 'failed' ? 'failed, so nobody comes in by it' : 'refused a login'}: '${principal}'`,
      { principal, requestId, ...errorFacts(thrown) },
    ),

  'issuer.unreachable': ({ error: thrown }) =>
    warn('an issuer of tokens cannot be asked for its keys', errorFacts(thrown)),
};
