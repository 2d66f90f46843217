import type { JsonObject, Pointer } from '#json/index.ts';
import type { StoredObject } from '#repo/index.ts';
import type { Context, Request } from '#resource/index.ts';
import type { PathsOfWays } from '../derive/derive-properties.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';

/** One retrieval of objects of one type: for whom, why, and what of them. */
export interface Retrieval {
  readonly platform: ManagedPlatform;
  readonly context: Context;
  readonly type: ManagedType;
  /** The request that scripts see. */
  readonly request: Request;
  readonly fields: readonly Pointer[];
  /** False: what is stored is shown, no hook runs. */
  readonly runsHooks: boolean;
  /** The same for those that its references lead to; by default as for the objects themselves. */
  readonly runsHooksOfOthers?: boolean;
  /** What their derived properties are read off, where that came with the objects. */
  readonly paths?: PathsOfWays | undefined;
  /** A script of the server gets them, in the name of the caller: what is encrypted is not sealed for it. */
  readonly isForScript?: boolean;
}

/** The same retrieval of what references lead to. */
export function ofOthers<R extends Retrieval>(retrieval: R): R {
  return { ...retrieval, runsHooks: retrieval.runsHooksOfOthers ?? retrieval.runsHooks };
}

/** Retrieves objects; an expanded reference retrieves those it leads to the same way. */
export type RetrieveObjects = (
  retrieval: Retrieval,
  objects: readonly StoredObject[],
) => Promise<readonly JsonObject[]>;
