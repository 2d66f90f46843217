import type { Context } from '../context.ts';
import type { Request } from '../request.ts';
import type { Response } from '../response.ts';

export type Handle = (context: Context, request: Request) => Promise<Response>;

/** Looks at a request before it goes on, and at the answer after that. */
export interface Filter {
  (context: Context, request: Request, next: Handle): Promise<Response>;
  /** Whether it may have to run a script for the request, or for another one that the handler makes meanwhile. */
  readonly runsScripts?: (request: Request, asksOthers: boolean) => boolean;
  /** The filters in it that look at the answer to the request, and may change it. */
  readonly judgesAnswer?: (request: Request) => readonly object[];
}

/** Through all of them, in their order, to the last. */
export function passing(filters: readonly Filter[], last: Handle): Handle {
  return filters.reduceRight<Handle>(
    (next, filter) => (context, request) => filter(context, request, next),
    last,
  );
}
