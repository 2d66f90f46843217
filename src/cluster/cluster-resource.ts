import type { Database } from '#database/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { collection, type RouteHandler, resource, singleton } from '#resource/index.ts';
import { listNodes, type NodeRow } from './node-repository.ts';

/** `/cluster` and `/cluster/{node}`: the nodes and how they are, read only. Mount it as a prefix. */
export function clusterResource(database: Database): RouteHandler {
  const all = singleton({
    description: { title: 'cluster' },
    async read() {
      const nodes = await listNodes(database.db);
      return resource('', null, { results: nodes.map(nodeView) });
    },
  });
  const each = collection({
    description: { title: 'nodes' },
    async read(_context, _request, id) {
      const nodes = await listNodes(database.db);
      const node = nodes.find(({ name }) => name === id);
      if (node === undefined) {
        const hint = didYouMean(
          id,
          nodes.map(({ name }) => name),
        );
        throw new NotFoundError(`Node '${id}' not found`, hint === undefined ? {} : { hint });
      }
      return resource(id, null, nodeView(node));
    },
  });
  return {
    handle: (context, request, match) =>
      (match.remaining.length === 0 ? all : each).handle(context, request, match),
    describe: (path) => [...(all.describe?.(path) ?? []), ...(each.describe?.(path) ?? [])],
  };
}

/** A node under recovery has no state of its own but in `recovery`; times that are not known are empty. */
function nodeView({ name, state, started_at, stopped_at, recovery }: NodeRow): JsonObject {
  const node = {
    instanceId: name,
    startup: started_at.toISOString(),
    shutdown: stopped_at?.toISOString() ?? '',
  };
  if (recovery === null) return { ...node, state: state === 'running' ? 'running' : 'down' };
  const { recoveredBy, ...facts } = recovery;
  if (facts['recoveryFinished'] !== undefined) return { ...node, state: 'down', recovery };
  return { ...node, recovery: { state: 'processing-down', recoveringBy: known(recoveredBy), ...facts } };
}

function known(value: JsonValue | undefined): JsonValue {
  return value ?? '';
}
