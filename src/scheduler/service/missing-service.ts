import { readdirSync } from 'node:fs';
import { isModuleFile } from '#config/index.ts';
import { didYouMean } from '#errors/index.ts';
import { shortServiceName } from '#platform/index.ts';

const BUILT_IN: readonly string[] = ['script', 'taskscanner'];
const UNCONFIGURED: readonly string[] = ['sync', 'provisioner'];

/**
 * Why no run of a schedule can find the service that it invokes. Which services the modules of the project offer is
 * known only where they run, so where there is one nothing is said.
 */
export function findMissingService(
  invokeService: string,
  serviceDirectory: string,
): { readonly why: string; readonly hint?: string } | undefined {
  const name = shortServiceName(invokeService);
  if (UNCONFIGURED.includes(name)) return { why: 'there is no synchronisation with other systems yet' };
  if (BUILT_IN.includes(name) || hasModules(serviceDirectory)) return undefined;
  const hint = didYouMean(name, [...BUILT_IN, ...UNCONFIGURED]);
  return { why: 'service/ has no module that offers it', ...(hint === undefined ? {} : { hint }) };
}

function hasModules(directory: string): boolean {
  try {
    return readdirSync(directory).some(isModuleFile);
  } catch {
    return false;
  }
}
