import { readdirSync } from 'node:fs';
import { isModuleFile } from '#config/index.ts';
import { didYouMean } from '#errors/index.ts';
import { type OfferedService, shortServiceName } from '#platform/index.ts';

export interface OfferedServices {
  /** The services that features bring. */
  readonly services: Iterable<OfferedService>;
  /** Where the project has its own. */
  readonly serviceDirectory: string;
}

/**
 * Why no run of a schedule can find the service that it invokes. Which services the modules of the project offer is
 * known only where they run, so where there is one nothing is said.
 */
export function findMissingService(
  invokeService: string,
  { services, serviceDirectory }: OfferedServices,
): { readonly why: string; readonly hint?: string } | undefined {
  const name = shortServiceName(invokeService);
  const known = [...services];
  const found = known.find(({ invokeService: offered }) => offered === name);
  if (found?.unconfigured !== undefined) return { why: found.unconfigured };
  if (found !== undefined || hasModules(serviceDirectory)) return undefined;
  const hint = didYouMean(
    name,
    known.map(({ invokeService: offered }) => offered),
  );
  return { why: 'service/ has no module that offers it', ...(hint === undefined ? {} : { hint }) };
}

function hasModules(directory: string): boolean {
  try {
    return readdirSync(directory).some(isModuleFile);
  } catch {
    return false;
  }
}
