import { BadRequestError, didYouMean } from '#errors/index.ts';
import { NO_PAGING, parsePath, parseQueryFilter, type Request } from '#resource/index.ts';
import type { ToldEvent } from './told-event.ts';

/** What one must be allowed to ask for to listen to it: the query of a collection, or the read of a resource. */
const ASKED: Readonly<Record<string, string>> = {
  firing: 'scheduler/firing',
  schedule: 'scheduler/job',
  scan: 'taskscanner',
  operation: 'operation',
  node: 'cluster',
  task: 'workflow/taskinstance',
  instance: 'workflow/processinstance',
  deadletter: 'workflow/job/deadletter',
  config: 'config',
  audit: 'audit/activity',
  log: 'log',
};
/** Topics that are read as a whole. */
const READ = new Set(['cluster', 'config', 'taskscanner']);
const MOST_TOPICS = 50;

export const TOPIC_NAMES: readonly string[] = [...Object.keys(ASKED), 'object:<type>', 'object:<type>/<id>'];

/** Something that one can listen to. */
export interface Topic {
  readonly name: string;
  /** The right that it takes. */
  readonly asks: Request;
  fits(event: ToldEvent): boolean;
}

/** @throws BadRequestError for none, too many, or one that there is not */
export function parseTopics(text: string, types: readonly string[]): readonly Topic[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0) throw badTopic('No topic is named', `There are ${TOPIC_NAMES.join(', ')}`);
  if (names.length > MOST_TOPICS) {
    throw badTopic(`${names.length} topics are named; ${MOST_TOPICS} are allowed`, 'Listen to object:<type>');
  }
  return names.map((name) => topicOf(name, types));
}

function topicOf(name: string, types: readonly string[]): Topic {
  const collection = Object.hasOwn(ASKED, name) ? ASKED[name] : undefined;
  if (collection !== undefined) {
    return { name, asks: asking(collection), fits: ({ topic }) => topic === name };
  }
  if (!name.startsWith('object:')) {
    throw badTopic(
      `There is no topic '${name}'`,
      didYouMean(name, Object.keys(ASKED)) ?? `There are ${TOPIC_NAMES.join(', ')}`,
    );
  }
  const [type = '', ...rest] = name.slice('object:'.length).split('/');
  if (!types.includes(type)) {
    throw badTopic(
      `There is no managed type '${type}'`,
      didYouMean(type, types) ?? `There are ${types.join(', ')}`,
    );
  }
  if (rest.length === 0) {
    return { name, asks: asking(`managed/${type}`), fits: ({ topic }) => topic === `object:${type}` };
  }
  const path = `managed/${type}/${rest.join('/')}`;
  return { name, asks: reading(path), fits: ({ resource }) => resource === path };
}

export function reading(path: string): Request {
  return { method: 'read', path: parsePath(path), fields: [['_id']], parameters: {} };
}

function asking(path: string): Request {
  if (READ.has(path)) return reading(path);
  // These know queries by name alone.
  const isNamed = path.startsWith('workflow/');
  return {
    method: 'query',
    path: parsePath(path),
    queryId: isNamed ? 'query-all-ids' : null,
    queryExpression: null,
    queryFilter: isNamed ? null : parseQueryFilter('false'),
    sortKeys: [],
    paging: { ...NO_PAGING, pageSize: 1 },
    fields: [['_id']],
    parameters: {},
  };
}

function badTopic(message: string, hint: string): BadRequestError {
  return new BadRequestError(message, { id: 'EVENTS_BAD_TOPIC', field: 'topics', hint });
}
