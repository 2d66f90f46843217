import type { Database } from '#database/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import {
  type ActionResult,
  ActionTable,
  actionResult,
  bodyOf,
  collection,
  dbOf,
  NO_BODY,
  type Request,
  type RouteHandler,
  resource,
  singleton,
  type WriteContext,
} from '#resource/index.ts';
import { listEventsOf } from './cluster-event-repository.ts';
import { drainNode, listReports, resumeNode } from './node-report-repository.ts';
import { listNodes, type NodeRow } from './node-repository.ts';
import { reportView } from './report-view.ts';
import { whyNode } from './why-node.ts';

/** Told of why a node works. */
const MOST_EVENTS = 20;

export interface ClusterResourceOptions {
  readonly database: Database;
  /** Has all nodes look at once for what was said to them. */
  readonly wake: () => void;
}

/**
 * `/cluster` and `/cluster/{node}`: the nodes and how they are. What they say of themselves is shown to those who ask for
 * `_fields`, such as `*`. Mount it as a prefix.
 */
export function clusterResource({ database, wake }: ClusterResourceOptions): RouteHandler {
  const find = async (request: Request, name?: string) => {
    const nodes = await listNodes(database.db);
    const shown = nodes.filter((node) => name === undefined || node.name === name);
    if (name !== undefined && shown.length === 0) throw noSuchNode(name, nodes);
    if (request.fields.length === 0) return shown.map(nodeView);
    const reported = new Map((await listReports(database.db, name)).map((node) => [node.name, node]));
    return shown.map((node) => ({ ...nodeView(node), ...reportView(reported.get(node.name)) }));
  };

  async function change(
    context: WriteContext,
    name: string,
    operation: 'drain' | 'resume',
  ): Promise<ActionResult> {
    const { unitOfWork, security } = context;
    const nodes = await listNodes(database.db);
    if (nodes.every((node) => node.name !== name)) throw noSuchNode(name, nodes);
    const write = operation === 'drain' ? drainNode : resumeNode;
    const drained = operation === 'drain';
    if (await write(await dbOf({ database }, context), name, security.authorization.id)) {
      const [before, after] = [{ drained: !drained }, { drained }];
      unitOfWork.record({ resource: `cluster/${name}`, operation: 'update', before, after });
      unitOfWork.afterCommit(`wake node ${name}`, wake);
    }
    return actionResult({ instanceId: name, drained });
  }

  const all = singleton({
    description: { title: 'cluster' },
    read: async (_context, request) => resource('', null, { results: await find(request) }),
  });
  const each = collection({
    description: { title: 'nodes' },
    read: async (_context, request, id) => resource(id, null, (await find(request, id))[0]!),
    instanceActions: new ActionTable<[string]>({
      drain: {
        does: 'Has the node claim no more work and be not ready, until it is resumed or starts anew; what it has it finishes',
        takes: NO_BODY,
        answers: bodyOf({ instanceId: { type: 'string' }, drained: { type: 'boolean' } }, 'instanceId'),
        run: (context, _request, id) => change(context, id, 'drain'),
      },
      why: {
        does: 'Why the node works, or does not',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run(context, _request, id) {
          const db = await dbOf({ database }, context);
          const nodes = await listReports(db);
          const node = nodes.find(({ name }) => name === id);
          if (node === undefined) throw noSuchNode(id, nodes);
          return actionResult(whyNode(node, nodes, await listEventsOf(db, id, MOST_EVENTS)));
        },
      },
      resume: {
        does: 'Has the node work again',
        takes: NO_BODY,
        answers: bodyOf({ instanceId: { type: 'string' }, drained: { type: 'boolean' } }, 'instanceId'),
        run: (context, _request, id) => change(context, id, 'resume'),
      },
    }),
  });
  return {
    handle: (context, request, match) =>
      (match.remaining.length === 0 ? all : each).handle(context, request, match),
    describe: (path) => [...(all.describe?.(path) ?? []), ...(each.describe?.(path) ?? [])],
  };
}

function noSuchNode(name: string, nodes: readonly Pick<NodeRow, 'name'>[]): NotFoundError {
  const hint = didYouMean(
    name,
    nodes.map((node) => node.name),
  );
  return new NotFoundError(`Node '${name}' not found`, hint === undefined ? {} : { hint });
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
