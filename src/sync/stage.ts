import type { Crypto } from '#crypto/index.ts';
import type { Database, DatabaseClock, Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import type { RequireAccount } from '#platform/index.ts';
import type { Queue } from '#queue/index.ts';
import type { RequestSink, Router, WriteContext } from '#resource/index.ts';
import type { ScriptSources, Scripts } from '#script/index.ts';
import type { Foreseen } from './foreseen.ts';
import type { Mapping } from './mapping.ts';
import type { Mappings } from './mappings.ts';

/** What synchronisation needs of the house. */
export interface SyncPlatform {
  readonly scripts: Scripts;
  readonly scriptFiles: Pick<ScriptSources, 'get'>;
  readonly crypto: Crypto;
  readonly resources: RequestSink;
  /** Says what a caller may ask. */
  readonly router: Pick<Router, 'mayAsk' | 'maySeeScripts'>;
  readonly mappings: Mappings;
  readonly observe: Observe;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly clock: Pick<DatabaseClock, 'now'>;
  /** Does something at once, which stays whatever becomes of the unit of work. */
  readonly aside: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
  /** Records in the audit what was done, with the unit of work that does it. */
  readonly record: (context: WriteContext, facts: JsonObject, sourceId: string) => Promise<void>;
  /** Refuses a caller that has a mapping write an account whose roles open more than the caller's. */
  readonly requireAccount: RequireAccount;
}

/** The same for what begins by itself, and has no unit of work yet. */
export interface StoringPlatform extends SyncPlatform {
  readonly database: Database;
}

/** Where a mapping is at work. */
export interface Stage {
  readonly platform: SyncPlatform;
  readonly context: WriteContext;
  readonly mapping: Mapping;
  /** The reconciliation that it is a part of. */
  readonly reconId?: string;
  /** What it asks of another system stays there, though the unit of work may be rolled back yet. */
  readonly isAttached?: boolean;
  /** What cannot be read back is written, though it is thought to be there. */
  readonly isForced?: boolean;
}

/** The same for one link qualifier of it. */
export interface Scope extends Stage {
  readonly qualifier: string;
  /** What was found out about the source together with others, where it was. */
  readonly foreseen?: Foreseen | undefined;
  /** Whether any delivery waits for an object that was not there. */
  readonly hasWaiting?: boolean;
}
