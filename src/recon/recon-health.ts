import { type RouteHandler, resource, singleton } from '#resource/index.ts';
import { LANES_OF_NODE, type ReconPlatform } from './recon-platform.ts';
import { countActive } from './run-repository.ts';

/** `/health/recon`, with the names of the field: its threads are lanes, those of a pool what the node that answers works on at a time. */
export function reconHealth({ database }: ReconPlatform): RouteHandler {
  return singleton({
    description: { title: 'health of reconciliations' },
    async read() {
      const { runs, lanes } = await countActive(database.db);
      return resource('recon', null, {
        activeReconciliations: runs,
        activeThreads: lanes,
        corePoolSize: LANES_OF_NODE,
        largestPoolSize: LANES_OF_NODE,
        maximumPoolSize: LANES_OF_NODE,
        currentPoolSize: LANES_OF_NODE,
      });
    },
  });
}
