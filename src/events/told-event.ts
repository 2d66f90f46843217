import type { Actor, Change } from '#database/index.ts';
import { isObject } from '#json/index.ts';
import { isLogged, type Observation } from '#observability/index.ts';

/** By this name it is said that events could not be written. */
export const EVENT_LOOP = 'events';

/** What has happened, without what it was. */
export interface ToldEvent {
  readonly topic: string;
  /** The path of the resource. */
  readonly resource: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly rev?: string;
  readonly transaction?: string;
  /** The node whose log it is. */
  readonly node?: string;
}

/** Topics by the beginnings of what they tell of. */
const PLACES: readonly (readonly [prefix: string, topic: string])[] = [
  ['config', 'config'],
  ['scheduler/job', 'schedule'],
  ['taskscanner', 'scan'],
  ['operation', 'operation'],
  ['workflow/taskinstance', 'task'],
  ['workflow/processinstance', 'instance'],
  ['cluster', 'node'],
  // No topics of their own: streams look whether they may go on.
  ['session', 'session'],
  ['apikey', 'session'],
  ['repo/internal', 'session'],
];

/** What is told of a stored change; undefined of what no topic is about. */
export function eventOfChange(change: Change, actor: Actor | undefined): ToldEvent | undefined {
  const place = placeOf(change.resource);
  if (place === undefined) return undefined;
  const content = change.after ?? change.before;
  const isWhole = place.resource === change.resource;
  const rev = isWhole && isObject(content) ? content['_rev'] : undefined;
  const transaction = (change.actor ?? actor)?.transactionId;
  return {
    ...place,
    // An edge that comes or goes changes its object.
    operation: isWhole ? change.operation : 'update',
    ...(typeof rev === 'string' ? { rev } : {}),
    ...(transaction === undefined ? {} : { transaction }),
  };
}

function placeOf(name: string): Pick<ToldEvent, 'topic' | 'resource'> | undefined {
  const [area, type, id] = name.replace(/^repo\/(?=managed\/)/, '').split('/');
  if (area === 'managed' && type !== undefined && id !== undefined) {
    return { topic: `object:${type}`, resource: `managed/${type}/${id}` };
  }
  const place = PLACES.find(([prefix]) => name === prefix || name.startsWith(`${prefix}/`));
  return place && { topic: place[1], resource: name };
}

/** The event that a node has written into its log; undefined where it has not. */
export function eventOfLog(said: Observation, node: string): ToldEvent | undefined {
  // What could not be told is not told of: that would go on and on.
  if (!isLogged(said) || (said.kind === 'loop.failed' && said.loop === EVENT_LOOP)) return undefined;
  return { topic: 'log', resource: 'log', operation: 'create', node };
}

/** What is told of what the server says of itself; undefined of most. */
export function eventOfObservation(said: Observation): ToldEvent | 'gap' | undefined {
  switch (said.kind) {
    case 'trigger.completed':
    case 'trigger.failed':
      return {
        topic: 'firing',
        resource: `scheduler/firing/${said.run}`,
        operation: 'create',
        transaction: said.transaction,
      };
    case 'trigger.misfired':
    case 'trigger.parked':
      return { topic: 'schedule', resource: `scheduler/job/${said.schedule}`, operation: 'update' };
    case 'scan.ended':
      return { topic: 'scan', resource: `taskscanner/${said.run}`, operation: 'update' };
    case 'operation.ended':
      return { topic: 'operation', resource: `operation/${said.operation}`, operation: 'update' };
    case 'job.failed':
      return said.dead
        ? { topic: 'deadletter', resource: 'workflow/job/deadletter', operation: 'create' }
        : undefined;
    case 'config.changed':
    case 'config.refused':
      return { topic: 'config', resource: pathOf(said.id), operation: 'update' };
    case 'node.joined':
      return { topic: 'node', resource: `cluster/${said.node}`, operation: 'update' };
    case 'login.attempted':
      return { topic: 'audit', resource: 'audit/authentication', operation: 'create' };
    // What it committed last it may not have told.
    case 'node.lost':
    case 'script.threadKilled':
      return 'gap';
    default:
      return undefined;
  }
}

/** Scripts that are set through REST are told with configurations. */
function pathOf(id: string): string {
  return id.startsWith('script-file/') ? id.replace('script-file/', 'script/file/') : `config/${id}`;
}
