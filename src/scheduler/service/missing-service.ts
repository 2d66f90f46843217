import { readdirSync } from 'node:fs';
import { isModuleFile } from '#config/index.ts';
import { didYouMean } from '#errors/index.ts';
import { shortServiceName } from '#platform/index.ts';
import { UNCONFIGURED_SERVICES } from './unconfigured-service.ts';

const UNCONFIGURED = UNCONFIGURED_SERVICES.map(({ invokeService }) => invokeService);

export interface OfferedServices {
  /** Short names of those that features bring. */
  readonly builtIn: Iterable<string>;
  /** Where the project has its own. */
  readonly serviceDirectory: string;
}

/**
 * Why no run of a schedule can find the service that it invokes. Which services the modules of the project offer is
 * known only where they run, so where there is one nothing is said.
 */
export function findMissingService(
  invokeService: string,
  { builtIn, serviceDirectory }: OfferedServices,
): { readonly why: string; readonly hint?: string } | undefined {
  const name = shortServiceName(invokeService);
  const names = [...builtIn];
  if (UNCONFIGURED.includes(name)) return { why: 'there is no synchronisation with other systems yet' };
  if (names.includes(name) || hasModules(serviceDirectory)) return undefined;
  const hint = didYouMean(name, [...new Set([...names, ...UNCONFIGURED])]);
  return { why: 'service/ has no module that offers it', ...(hint === undefined ? {} : { hint }) };
}

function hasModules(directory: string): boolean {
  try {
    return readdirSync(directory).some(isModuleFile);
  } catch {
    return false;
  }
}
