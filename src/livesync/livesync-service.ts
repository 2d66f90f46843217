import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ScheduledService } from '#platform/index.ts';
import { parsePath } from '#resource/index.ts';
import { apart } from '#work/index.ts';
import { type LiveSyncPlatform, pathOf } from './livesync-platform.ts';
import { placesOf, startRound } from './start-round.ts';

export const LIVESYNC_SERVICE = 'provisioner';
const ACTIONS = ['liveSync', 'activeSync'];

/** `invokeService: "provisioner"`: a schedule has the changes of a system followed. While that is under way it is passed over. */
export function liveSyncService(platform: LiveSyncPlatform): ScheduledService {
  return {
    invokeService: LIVESYNC_SERVICE,
    runsScripts: false,
    check: checkInvokeContext,
    async execute(context, { invokeContext, log }) {
      const { system, type } = sourceOf(invokeContext);
      for (const place of await placesOf(platform, system, type)) {
        const { unitOfWork } = context;
        const round =
          unitOfWork === null
            ? await apart(platform, (own) => startRound(platform, own, context, place, undefined))
            : await startRound(platform, unitOfWork, context, place, undefined);
        log(
          'info',
          `${pathOf(place)}: ${round === undefined ? 'a round is under way already' : 'a round has begun'}`,
        );
      }
    },
  };
}

/** @throws BadRequestError for one by which nothing could be followed */
export function checkInvokeContext(invokeContext: JsonValue): void {
  sourceOf(invokeContext);
}

/** @throws BadRequestError `SCHED_BAD_INVOKE_CONTEXT` */
export function sourceOf(invokeContext: JsonValue): {
  readonly system: string;
  readonly type: string | undefined;
} {
  const { action = 'liveSync', source = null }: JsonObject = isObject(invokeContext) ? invokeContext : {};
  const known = ACTIONS.find((one) => one.toLowerCase() === String(action).toLowerCase());
  if (known === undefined) {
    throw badContext(
      `There is no action '${String(action).slice(0, 100)}'`,
      'action',
      didYouMean(String(action), ACTIONS) ?? `There are ${ACTIONS.join(', ')}`,
    );
  }
  if (source === null) {
    throw badContext(
      "The invokeContext of a 'provisioner' schedule has no 'source'",
      'source',
      'Such as system/ldap/account',
    );
  }
  const [first, system, type, ...rest] = typeof source === 'string' ? parsePath(source) : [];
  if (first === 'system' && system !== undefined && rest.length === 0) return { system, type };
  throw badContext(
    `'${String(source).slice(0, 200)}' is no type of a system`,
    'source',
    'Such as system/ldap/account, or system/ldap for all of its types',
  );
}

function badContext(message: string, member: string, hint: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCHED_BAD_INVOKE_CONTEXT',
    field: `/invokeContext/${member}`,
    hint,
  });
}
