import { BadRequestError, didYouMean } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ScheduledService } from '#platform/index.ts';
import { apart } from '#work/index.ts';
import { readOrder } from './recon-order.ts';
import { namedMapping, type ReconPlatform } from './recon-platform.ts';
import { startRecon } from './start-recon.ts';

const ACTIONS: Readonly<Record<string, 'recon' | 'reconById'>> = {
  recon: 'recon',
  reconcile: 'recon',
  reconById: 'reconById',
};

export const RECON_SERVICE = 'sync';

/** `invokeService: "sync"`: a schedule starts a reconciliation, once for each firing. */
export function reconService(platform: ReconPlatform): ScheduledService {
  return {
    invokeService: RECON_SERVICE,
    runsScripts: false,
    check: checkInvokeContext,
    async execute(context, { invokeContext, runId, log }) {
      const { name, action, given } = contextOf(invokeContext);
      const mapping = namedMapping(platform, name);
      const order = readOrder(mapping, action, given, {});
      const { unitOfWork } = context;
      const id =
        unitOfWork === null
          ? await apart(platform, (own) => startRecon(platform, own, context, mapping, order, runId))
          : await startRecon(platform, unitOfWork, context, mapping, order, runId);
      log('info', `reconciliation ${id} started`);
    },
  };
}

/** @throws BadRequestError for one with which no run could begin */
export function checkInvokeContext(invokeContext: JsonValue): void {
  contextOf(invokeContext);
}

/** @throws BadRequestError `SCHED_BAD_INVOKE_CONTEXT` */
function contextOf(invokeContext: JsonValue) {
  const {
    action = 'recon',
    mapping = null,
    ...given
  }: JsonObject = isObject(invokeContext) ? invokeContext : {};
  if (typeof mapping !== 'string' || mapping === '') {
    throw badContext(
      mapping === null
        ? "The invokeContext of a 'sync' schedule has no 'mapping'"
        : "'mapping' is not the name of one",
      'mapping',
    );
  }
  const known = typeof action === 'string' && Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (known === undefined) {
    const names = Object.keys(ACTIONS);
    const hint = typeof action === 'string' ? didYouMean(action, names) : undefined;
    throw badContext(
      `There is no action '${String(action).slice(0, 100)}'`,
      'action',
      hint ?? `There are ${names.join(', ')}`,
    );
  }
  return { name: mapping, action: known, given };
}

function badContext(message: string, member: string, hint?: string): BadRequestError {
  return new BadRequestError(message, {
    id: 'SCHED_BAD_INVOKE_CONTEXT',
    field: `/invokeContext/${member}`,
    ...(hint === undefined ? {} : { hint }),
  });
}
