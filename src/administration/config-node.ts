import { ConfigWatcher } from '#config/index.ts';
import { type NodeGround, type NodePart, type Platform, WAKE_UP } from '#platform/index.ts';

/** Follows the configuration files, and what was changed through `/config` on any node. */
export function configNode(
  { config, observe }: Platform,
  { followConfiguration: follow }: NodeGround,
): NodePart {
  const watcher = new ConfigWatcher({
    store: { properties: config.properties, reload: follow },
    observe,
  });
  const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: watcher.name, error });
  return {
    services: [watcher],
    onWakeUp: { [WAKE_UP.config]: () => void follow().catch(failed) },
  };
}
