import { isOrigin, type ServletFilterConfig } from '#config/index.ts';
import type { Incoming } from './incoming.ts';

/** What the operator lets pages of other origins do; undefined: nothing. */
export type CorsFilter = ServletFilterConfig['initParams'];

/**
 * What an answer says to the browser of a page of another origin: whether the page may see it, and, where the browser has asked
 * beforehand, what the page may send. Without any of it browsers keep the answer from the page.
 */
export function corsHeaders(incoming: Incoming, filter: CorsFilter | undefined): Record<string, string> {
  const origin = incoming.header('origin');
  if (filter === undefined || origin === undefined) return {};
  // Any page can be one of no origin, which browsers call 'null': nobody is named by that.
  const isNamed =
    isOrigin(origin) && filter.allowedOrigins.some((each) => each.toLowerCase() === origin.toLowerCase());
  if (!isNamed && !filter.allowedOrigins.includes('*')) return { Vary: 'Origin' };
  // Whoever comes from anywhere comes without what a browser has kept for this server.
  const mayBringCredentials = isNamed && isTrue(filter.allowCredentials);
  const { exposedHeaders } = filter;
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': isNamed ? origin : '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ...(mayBringCredentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
    ...(exposedHeaders.length === 0 ? {} : { 'Access-Control-Expose-Headers': exposedHeaders.join(', ') }),
    ...(isPreflight(incoming) ? preflight(filter) : {}),
  };
}

function isPreflight({ method, header }: Incoming): boolean {
  return method === 'OPTIONS' && header('access-control-request-method') !== undefined;
}

function preflight(filter: CorsFilter): Record<string, string> {
  const seconds = Number(filter.preflightMaxAge);
  return {
    'Access-Control-Allow-Methods': filter.allowedMethods.join(', '),
    'Access-Control-Allow-Headers': filter.allowedHeaders.join(', '),
    ...(Number.isInteger(seconds) && seconds >= 0
      ? { 'Access-Control-Max-Age': String(Math.min(seconds, 86_400)) }
      : {}),
  };
}

function isTrue(flag: boolean | string): boolean {
  return String(flag).trim().toLowerCase() === 'true';
}
