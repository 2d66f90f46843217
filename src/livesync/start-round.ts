import { randomUUID } from 'node:crypto';
import type { UnitOfWork } from '#database/index.ts';
import { BadRequestError, ConflictError, NotSupportedError, ResourceError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { lookUntil } from '#lifecycle/index.ts';
import type { Context } from '#resource/index.ts';
import { causeOf, withoutWords } from '#sync/index.ts';
import type { LiveSyncOrder } from '#system/index.ts';
import { apart } from '#work/index.ts';
import { type LiveSyncPlatform, type Place, pathOf, ROUND_QUEUE } from './livesync-platform.ts';
import { seesWordsAt, stageOf } from './stage-view.ts';
import { beginRound, findToken, type TokenRow } from './token-repository.ts';

export type Reset = 'now' | 'none' | undefined;

/**
 * Begins a round: there, and under way, exactly if the unit of work is committed.
 *
 * @returns its id; undefined while another one of the type is under way
 */
export async function startRound(
  platform: LiveSyncPlatform,
  unitOfWork: UnitOfWork,
  context: Context,
  place: Place,
  reset: Reset,
): Promise<string | undefined> {
  const round = randomUUID();
  const begun = { ...place, round, forgets: reset !== undefined, ...causeOf(context) };
  if (!(await beginRound(await unitOfWork.db(), begun))) return undefined;
  const data = { ...place, round, skips: reset === 'now' };
  await platform.queue.enqueue(unitOfWork, { queue: ROUND_QUEUE, data });
  return round;
}

/**
 * Follows what has changed in a system, of one type or of all, and waits for the end.
 *
 * @returns what has come of it; of several types a list of that
 * @throws ConflictError `LIVESYNC_UNDER_WAY`, and what has ended a round early
 */
export async function performRounds(
  platform: LiveSyncPlatform,
  context: Context,
  { system, type, resetToken, detailedFailure }: LiveSyncOrder,
): Promise<JsonObject> {
  if (context.unitOfWork?.isOpen === true || context.rehearsed === true) {
    throw new BadRequestError('What has begun to store something, or is rehearsed, cannot wait for a round', {
      id: 'LIVESYNC_INSIDE',
      hint: 'Ask for it first, and without _dryRun',
    });
  }
  const reset: Reset = resetToken === 'now' || resetToken === 'none' ? resetToken : undefined;
  const places = await placesOf(platform, system, type);
  const answers: JsonObject[] = [];
  for (const place of places) {
    const row = await performRound(platform, context, place, reset);
    const seesAll = await seesWordsAt(platform, context, place);
    if (row.error !== null) throw endedEarly(row, seesAll, detailedFailure);
    answers.push(stageOf(platform, row, seesAll));
  }
  const [only = {}] = answers;
  return answers.length === 1 ? only : { types: answers };
}

async function performRound(
  platform: LiveSyncPlatform,
  context: Context,
  place: Place,
  reset: Reset,
): Promise<TokenRow> {
  const { database } = platform;
  const round = await apart(platform, (own) => startRound(platform, own, context, place, reset));
  if (round === undefined) throw underWay(place, await findToken(database.db, place));
  const look = async () => {
    const row = await findToken(database.db, place);
    if (row !== undefined) return row;
    throw new ConflictError(`Nobody asks '${pathOf(place)}' for its changes any more`, {
      id: 'LIVESYNC_GONE',
      hint: 'Somebody has deleted its stage meanwhile: ask again',
    });
  };
  return lookUntil(look, (row) => row.round !== round, context.awaited);
}

/**
 * The types that are meant, each of which can be asked.
 *
 * @throws NotFoundError for one that is not there, NotSupportedError `LIVESYNC_NOT_TOLD`
 */
export async function placesOf(
  { systems }: Pick<LiveSyncPlatform, 'systems'>,
  system: string,
  type: string | undefined,
): Promise<readonly Place[]> {
  const types = systems.places.filter((one) => one.system === system && (type ?? one.type) === one.type);
  // What is not there is told of by who knows what there is.
  if (types.length === 0) await systems.told({ system, type: type ?? '' });
  for (const place of types) {
    if ((await systems.told(place)) !== 'none') continue;
    throw new NotSupportedError(`'${pathOf(place)}' does not tell what has changed`, {
      id: 'LIVESYNC_NOT_TOLD',
      hint: 'A schedule of the service "sync" reconciles the mappings from it',
    });
  }
  return types.map((one) => ({ system: one.system, type: one.type }));
}

export function underWay(place: Place, row: TokenRow | undefined): ConflictError {
  const node = row?.node ?? null;
  return new ConflictError(
    `The changes of '${pathOf(place)}' are being followed already${node === null ? '' : ` on '${node}'`}`,
    {
      id: 'LIVESYNC_UNDER_WAY',
      hint: 'Wait for its end: svc_sync_token has what it has done',
      detail: { node, since: row?.began_at?.toISOString() ?? null },
    },
  );
}

/** What has ended a round is what its caller is told, in words where they see them. */
function endedEarly(row: TokenRow, seesAll: boolean, isDetailed: boolean): ResourceError {
  const { counts, failing_id } = row;
  const error = seesAll ? row.error : withoutWords(row.error);
  const { code, message = 'The round has failed', id, hint } = error ?? {};
  return new ResourceError(typeof code === 'number' ? code : 500, String(message), {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(isDetailed
      ? { detail: { lastException: { throwable: error, syncDelta: failing_id, ...counts } } }
      : {}),
  });
}
