import type { Finding } from '#errors/index.ts';
import type { ConfigOptions } from './config-store.ts';
import { shippedDefinitions } from './definitions/shipped-definitions.ts';
import { indexDefinitions, listSources, loadConfig } from './load-config.ts';
import { openProperties } from './property-source.ts';

/** Everything that would keep a node from starting with this configuration; nothing is started. */
export async function checkConfig(
  projectLocation: string,
  options: Omit<ConfigOptions, 'report'> & Partial<Pick<ConfigOptions, 'report'>>,
): Promise<readonly Finding[]> {
  const { environment, report = () => {} } = options;
  const settings = { ...options.settings, projectLocation };
  const definitions = indexDefinitions(options.definitions ?? shippedDefinitions);
  const { properties, findings } = await openProperties({ environment, settings });
  const listing = await listSources(settings, definitions);
  return [
    ...findings,
    ...loadConfig(listing, { definitions, properties: properties.ofFiles, report }).findings,
  ];
}
