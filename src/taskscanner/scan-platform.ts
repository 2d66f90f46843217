import { randomUUID } from 'node:crypto';
import type { Crypto } from '#crypto/index.ts';
import type { Database, DatabaseClock, UnitOfWork } from '#database/index.ts';
import type { JsonValue, Pointer } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Queue } from '#queue/index.ts';
import {
  Connection,
  type Context,
  type ReadRequest,
  type Request,
  type RequestSink,
  type Response,
  rootContext,
  type SecurityContext,
  systemContext,
} from '#resource/index.ts';
import type { Scripts } from '#script/index.ts';
import type { ScanRun } from './scan-run.ts';

/** The router, as far as scans ask it. */
export interface ScanResources extends RequestSink {
  /** Throws what keeps the caller from being shown what the request asks for. */
  admitRead(context: Context, request: ReadRequest): Promise<void>;
  /** The request with its path as routes, and so access rules and filters, write it. */
  named(request: Request): Request;
  maySeeScripts(context: Context): Promise<boolean>;
  requireScriptRight(context: Context, field: string): Promise<void>;
}

/** What the room stands on. */
export interface TaskScannerPlatform {
  readonly database: Database;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly queue: Queue;
  readonly crypto: Pick<Crypto, 'encrypt' | 'decrypt'>;
  readonly resources: ScanResources;
  readonly scripts: Scripts;
  /** Whoever has sent a request, as they are now; undefined when they may come in no more, or nobody can say. */
  readonly callerNow: (context: Context) => Promise<SecurityContext | undefined>;
  readonly observe: Observe;
  /** Where texts refer to secrets, such as `&{mail.password}`. */
  readonly secretReferences: (content: JsonValue) => readonly Pointer[];
  /** Records of ended runs that are kept. */
  readonly keepRuns: () => number;
}

/** Queues of the room: one reads the query page by page, the other processes what it found. */
export const PAGE_QUEUE = 'scan-page';
export const SLICE_QUEUE = 'scan-slice';

/** The context in which a run acts: whoever started it, inside the given unit of work. */
export function contextOf(run: Pick<ScanRun, 'security' | 'transaction'>, unitOfWork: UnitOfWork): Context {
  const context = rootContext({
    ...systemContext(run.security),
    id: randomUUID(),
    transactionId: run.transaction,
  });
  return { ...context, unitOfWork };
}

export function connectionOf({ resources }: TaskScannerPlatform, context: Context): Connection {
  return new Connection(resources, context);
}

/** Asks for what somebody has named, as it would be asked for by them from where the context comes. */
export function ask(
  { resources }: Pick<TaskScannerPlatform, 'resources'>,
  context: Context,
  request: Request,
): Promise<Response> {
  return resources.handle(context, resources.named(request));
}
