import { BadRequestError, didYouMean } from '#errors/index.ts';
import type { ActionRequest } from '#resource/index.ts';

/** @throws BadRequestError `RESOURCE_UNKNOWN_ACTION`, as clients of these resources know it */
export function refuseAction({ action }: ActionRequest, names: readonly string[]): never {
  throw new BadRequestError(`Unknown action '${action}'`, {
    id: 'RESOURCE_UNKNOWN_ACTION',
    hint: didYouMean(action, names) ?? `Use ${names.length === 1 ? '' : 'one of '}${names.join(', ')}`,
  });
}
