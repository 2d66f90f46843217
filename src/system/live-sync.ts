import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  type Action,
  type ActionRequest,
  actionResult,
  parsePath,
  type WriteContext,
} from '#resource/index.ts';

/** What is to be followed: all types of a system, or one. */
export interface LiveSyncOrder {
  readonly system: string;
  readonly type: string | undefined;
  /** `none`: from nothing, as if it was never asked; `now`: what has changed until now is passed over. */
  readonly resetToken: string | undefined;
  readonly detailedFailure: boolean;
}

/** Follows what has changed in a system, and answers what has come of it. */
export type LiveSync = (context: WriteContext, order: LiveSyncOrder) => Promise<JsonObject>;

/** The action `liveSync`, under both of its names. */
export function liveSyncActions(
  does: string,
  run: (context: WriteContext, request: ActionRequest) => Promise<JsonObject>,
): Readonly<Record<'liveSync' | 'activeSync', Action>> {
  const action: Action = {
    does,
    run: async (context, request) => actionResult(await run(context, request)),
  };
  return { liveSync: action, activeSync: { ...action, does: `${does} (its former name)` } };
}

/** How a request says from where on it is to be followed, and how much it wants to know. */
export function liveSyncOptions({ parameters }: ActionRequest) {
  const { resetToken, detailedFailure } = parameters;
  if (resetToken !== undefined && resetToken !== 'now' && resetToken !== 'none') {
    throw new BadRequestError(`There is no resetToken '${resetToken.slice(0, 100)}'`, {
      id: 'LIVESYNC_BAD_ORDER',
      field: 'resetToken',
      hint: "There are 'now' (what has changed until now is passed over) and 'none' (as if it was never asked)",
    });
  }
  return { resetToken, detailedFailure: detailedFailure === 'true' };
}

/** @param system the one that is meant anyway; default: the source must say it */
export function sourceIn(request: ActionRequest, system?: string): LiveSyncOrder {
  const { source } = request.parameters;
  const options = liveSyncOptions(request);
  if (source === undefined && system !== undefined) return { system, type: undefined, ...options };
  const [first, name, type, ...rest] = parsePath(source ?? '');
  const isPlace = first === 'system' && name !== undefined && rest.length === 0;
  if (isPlace && (system === undefined || name === system)) return { system: name, type, ...options };
  throw new BadRequestError(
    source === undefined
      ? "The parameter 'source' is missing"
      : `'${source.slice(0, 200)}' is no type of ${system === undefined ? 'a system' : `'${system}'`}`,
    { id: 'LIVESYNC_BAD_ORDER', field: 'source', hint: `Such as system/${system ?? 'ldap'}/account` },
  );
}
