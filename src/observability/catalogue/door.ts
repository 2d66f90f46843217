import { wordsOf } from '#errors/index.ts';
import type { AnsweredRequest } from './answered-request.ts';
import { sample } from './metric.ts';
import { errorFacts, ms, said } from './row.ts';

/** Requests, and who makes them. */
export const DOOR = {
  'http.answered': said<{
    method: string;
    path: string;
    status: number;
    ms: number;
    requestId: string;
    /** Absent for what is no request of a resource, such as one that nobody could be found for. */
    request?: AnsweredRequest;
  }>({
    level: 'debug',
    text: ({ method, path, status }) => `${method} ${path} ${status}`,
    facts: ({ ms: span, requestId }) => ({ took: ms(span), requestId }),
    counts: ({ method, status, ms: span }) => sample('http', { method, status }, span / 1000),
  }),
  // Whoever tries doors writes no log of any length: of all addresses together, one line for each reason.
  'http.refused': said<{ status: number; why: string; address: string }>({
    level: 'warn',
    text: ({ address, status, why }) => `message from ${address} refused: ${status} ${why}`,
    facts: ({ address }) => ({ address }),
    counts: ({ why }) => sample('refusedMessages', { why }),
    sameAs: ({ why }) => why,
  }),
  'http.failed': said<{ method: string; path: string; requestId: string; error: unknown }>({
    level: 'error',
    text: ({ method, path }) => `${method} ${path} failed unexpectedly`,
    facts: ({ requestId, error: thrown }) => ({ requestId, ...errorFacts(thrown) }),
  }),
  // While the database is away each request fails by it: the first says so, and now and then another one.
  'http.unavailable': said<{ method: string; path: string; requestId: string; error: unknown }>({
    level: 'warn',
    text: ({ method, path, error }) =>
      `${method} ${path} answered 503, the database is away: ${wordsOf(error)}`,
    facts: ({ requestId }) => ({ requestId }),
    sameAs: ({ error }) => wordsOf(error),
  }),
  // The same for another server that a request needs: the first that fails by it says so. How long it is away is a number in it.
  'http.elsewhere': said<{ method: string; path: string; requestId: string; error: unknown }>({
    level: 'warn',
    text: ({ method, path, error }) => `${method} ${path} answered 503: ${wordsOf(error)}`,
    facts: ({ requestId }) => ({ requestId }),
    sameAs: ({ error }) => wordsOf(error).replace(/\d+/g, 'n'),
  }),
  'login.attempted': said<{
    result: 'SUCCESSFUL' | 'FAILED';
    principal: string;
    address: string;
    module?: string;
    requestId: string;
  }>({
    level: ({ result }) => (result === 'FAILED' ? 'warn' : 'info'),
    text: ({ result, principal, address }) =>
      `login of '${principal}' from ${address}: ${result.toLowerCase()}`,
    facts: ({ principal, address }) => ({ principal, address }),
    counts: ({ result }) => sample('logins', { result: result.toLowerCase() }),
  }),
  'login.refused': said<{ why: string; address: string }>({
    level: 'debug',
    text: ({ address, why }) => `login from ${address} refused: ${why}`,
    facts: ({ address }) => ({ address }),
    counts: ({ why }) => sample('refusedLogins', { why }),
  }),
  'login.denied': said<{
    module: string;
    principal: string;
    how: 'refused' | 'failed';
    requestId: string;
    error: unknown;
  }>({
    level: ({ how }) => (how === 'failed' ? 'error' : 'info'),
    text: ({ how, module, principal }) =>
      `augmentSecurityContext of ${module} ${how === 'failed' ? 'failed, so nobody comes in by it' : 'refused a login'}: '${principal}'`,
    facts: ({ principal, requestId, error: thrown }) => ({ principal, requestId, ...errorFacts(thrown) }),
    counts: ({ how }) =>
      sample('refusedLogins', { why: how === 'failed' ? 'AUTH_SCRIPT_FAILED' : 'AUTH_SCRIPT_REFUSED' }),
  }),
  'issuer.unreachable': said<{ error: unknown }>({
    level: 'warn',
    text: () => 'an issuer of tokens cannot be asked for its keys',
    facts: ({ error: thrown }) => errorFacts(thrown),
    sameAs: ({ error }) => wordsOf(error),
  }),
  'issuer.refuses': said<{ error: unknown }>({
    level: 'error',
    text: () => 'nobody can log in at an issuer, since it takes nothing from this server',
    facts: ({ error: thrown }) => ({ error: wordsOf(thrown) }),
    sameAs: ({ error }) => wordsOf(error),
  }),
};
