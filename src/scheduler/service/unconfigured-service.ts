import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { ScheduledService } from './scheduled-service.ts';

const NO_SYNCHRONISATION = 'there is no live synchronisation with other systems yet';

/** `invokeService: "provisioner"`: systems are reconciled, and tell of no changes yet, so each run fails and says so. */
const provisionerScheduledService: ScheduledService = {
  invokeService: 'provisioner',
  unconfigured: NO_SYNCHRONISATION,
  runsScripts: false,
  async execute(_context, { invokeContext }) {
    const source = isObject(invokeContext) ? invokeContext['source'] : undefined;
    if (source === undefined) throw missing('provisioner', 'source');
    throw new NotFoundError(`'${String(source)}' cannot be synchronised live: it tells of no changes`, {
      id: 'SCHED_NO_CONNECTOR',
      field: '/invokeContext/source',
      hint: 'A schedule of the service "sync" reconciles a mapping',
    });
  },
};

/** Services that schedules may name, and that have nothing to work on. */
export const UNCONFIGURED_SERVICES: readonly ScheduledService[] = [provisionerScheduledService];

function missing(service: string, member: string): BadRequestError {
  return new BadRequestError(`The invokeContext of a '${service}' schedule has no '${member}'`, {
    id: 'SCHED_BAD_INVOKE_CONTEXT',
    field: `/invokeContext/${member}`,
  });
}
