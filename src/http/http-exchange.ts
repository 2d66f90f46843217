import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceError } from '#errors/index.ts';
import type {
  ClientContext,
  HttpContext,
  RefusedRequest,
  Request,
  SecurityContext,
} from '#resource/index.ts';
import { timeOrderedId } from '#time/index.ts';
import { Incoming, type Site } from './incoming.ts';

/** A caller, and the message that it has sent. */
export interface Caller {
  readonly security: SecurityContext;
  readonly client: ClientContext;
  readonly http: HttpContext;
}

/** A request on its way through the door, its answer to be, and what has become known of both. */
export class HttpExchange {
  readonly incoming: Incoming;
  readonly outgoing: ServerResponse;
  /** Milliseconds of the process's own clock. */
  readonly startedAt = performance.now();
  /** Told with the answer. In order of time: the entries of the audit that it makes then stand at the end of their index. */
  requestId: string = timeOrderedId();
  /** The caller, once it is known. */
  caller?: Caller;
  /** What is asked, once it has been read. */
  request?: Request;
  /** What it is answered with, if it went wrong. */
  failure?: ResourceError;
  /** The requests that went wrong among several that came as one. */
  refused: readonly RefusedRequest[] = [];

  constructor(message: IncomingMessage, outgoing: ServerResponse, site: Site) {
    this.incoming = new Incoming(message, site);
    this.outgoing = outgoing;
  }

  /** The account whose bounds count for this request: its caller, or whoever has sent it. */
  get account(): string {
    if (this.caller === undefined) return this.incoming.callerAddress;
    const { component, id } = this.caller.security.authorization;
    return `${component}/${id}`;
  }
}
