import type { JsonObject, JsonValue } from '#json/index.ts';
import type { Context, WriteContext } from '#resource/index.ts';

export type SyncNotification = 'notifyCreate' | 'notifyUpdate' | 'notifyDelete';

/** What happened to an object, for those who keep copies of it elsewhere. */
export interface SyncNotice {
  readonly action: SyncNotification;
  /** Path of the object. */
  readonly resource: string;
  /**
   * With its relationships, decrypted; null on create. An object that was changed by the other end of an edge comes
   * without its relationships, here and in `after`.
   */
  readonly before: JsonValue;
  /** The object as stored; null on delete. */
  readonly after: JsonValue;
  /** Names of what differs in it as it is stored, relationships apart; undefined where nobody knows. */
  readonly changed?: ReadonlySet<string>;
}

/** What `onSync` sees as `syncResults`. */
export type SyncResults = {
  readonly success: boolean;
  readonly action: SyncNotification;
  readonly syncDetails: JsonValue;
};

/**
 * Implicit synchronization: told of every stored change, inside its unit of work. That of an edge is a change of both
 * objects which know of it.
 */
export interface Synchronizer {
  /** Whether anybody keeps copies of objects of any collection: what is told of may run scripts then. */
  readonly isActive: boolean;
  /** Whether anybody keeps copies of objects of the collection; else they are not looked up for a notice. */
  keepsCopies(collection: string): boolean;
  /** Says what went wrong in the results; `onSync` decides whether that ends the request. */
  notify(context: WriteContext, notice: SyncNotice): Promise<SyncResults>;
  /** Names of the mappings there are. */
  mappings(): readonly string[];
  /** What is remembered of the last deliveries of objects, by their ids: the `lastSync` of the field. */
  lastSync(
    context: Context,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, JsonObject>>;
}
