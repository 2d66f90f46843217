import { ConfigWatcher } from '#config/index.ts';
import { IndexKeeper } from '#repo/index.ts';
import type { ConfigAgreement } from './config-agreement.ts';
import type { Core } from './core.ts';
import type { NodePart } from './node-part.ts';
import { TOPIC } from './platform.ts';

/** Follows the configuration files, and what was changed through `/config` on any node. */
export function configNode({ config, observe }: Core, agreement: ConfigAgreement): NodePart {
  const watcher = new ConfigWatcher({
    store: { properties: config.properties, reload: () => agreement.follow() },
    observe,
  });
  const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: watcher.name, error });
  return {
    services: [watcher],
    onTopic: { [TOPIC.config]: () => void agreement.follow().catch(failed) },
  };
}

/** Keeps the indexes on properties as the configuration wants them. */
export function indexNode(core: Core): NodePart {
  const { database, config, managed, observe } = core;
  const indexes = new IndexKeeper({ database, wanted: managed.wantedIndexes, observe });
  config.watch(() => indexes.wake());
  return { services: [indexes] };
}
