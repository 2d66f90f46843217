import type { JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';

export type SyncAction = 'notifyCreate' | 'notifyUpdate' | 'notifyDelete';

/** What happened to an object, for those who keep copies of it elsewhere. */
export interface SyncNotice {
  readonly action: SyncAction;
  /** Path of the object. */
  readonly resource: string;
  /**
   * With its relationships, decrypted; null on create. An object that was changed by the other end of an edge comes
   * without its relationships, here and in `after`.
   */
  readonly before: JsonValue;
  /** As stored; null on delete. */
  readonly after: JsonValue;
}

/** What `onSync` sees as `syncResults`. */
export type SyncResults = {
  readonly success: boolean;
  readonly action: SyncAction;
  readonly syncDetails: JsonValue;
};

/**
 * Implicit synchronization: told of every stored change, inside its unit of work. That of an edge is a change of both
 * objects which know of it.
 */
export interface Synchronizer {
  /** Whether anybody keeps copies of objects of the collection; else they are not looked up for a notice. */
  keepsCopies(collection: string): boolean;
  /** Says what went wrong in the results; `onSync` decides whether that ends the request. */
  notify(context: Context, notice: SyncNotice): Promise<SyncResults>;
  /** Names of the mappings there are. */
  mappings(): readonly string[];
}

/**
 * Nobody keeps copies: there is nothing to do, and it succeeds.
 *
 * @param names of the mappings that are declared; assignments may name them though nothing runs them
 */
export function noSynchronizer(names: () => readonly string[] = () => []): Synchronizer {
  return {
    keepsCopies: () => false,
    notify: async (_context, { action }) => ({ success: true, action, syncDetails: [] }),
    mappings: names,
  };
}
