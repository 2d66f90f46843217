import { type ConfigOptions, ConfigStore, type Settings } from '#config/index.ts';
import { ActivationError } from '#errors/index.ts';
import { addChecks } from './checks.ts';

/**
 * The configuration that a node starts with.
 *
 * @throws ActivationError with all that is wrong with it, as `svc config-check` tells it
 */
export async function openConfig(
  { projectLocation }: Pick<Settings, 'projectLocation'>,
  options: ConfigOptions,
): Promise<ConfigStore> {
  const config = await ConfigStore.open(options).catch(async (error: unknown) => {
    if (!(error instanceof ActivationError)) throw error;
    const inspected = await ConfigStore.inspect({ ...options, report: () => {} });
    addChecks(inspected, projectLocation);
    throw new ActivationError((await inspected.checkAll()).flatMap(({ findings }) => findings));
  });
  addChecks(config, projectLocation);
  // A schedule or an endpoint that is wrong stays out by itself; the part that reads it tells so.
  const mistakes = (await config.checkAll()).filter(({ id }) => !id.includes('/'));
  if (mistakes.length > 0) throw new ActivationError(mistakes.flatMap(({ findings }) => findings));
  return config;
}
