import { ForbiddenError } from '#errors/index.ts';
import { type Context, type Request, type RouteHandler, resource, singleton } from '#resource/index.ts';
import { parseTopics, TOPIC_NAMES, type Topic } from './topic.ts';

export interface EventsResourceOptions {
  /** Names of the managed types. */
  readonly types: () => readonly string[];
  readonly mayAsk: (context: Context, request: Request) => Promise<boolean>;
}

/** `/events`: what one can listen to. With `topics` the HTTP door makes a stream of it, once all of them are granted. */
export function eventsResource({ types, mayAsk }: EventsResourceOptions): RouteHandler {
  return singleton({
    description: { title: 'events' },
    async read(context, { parameters }) {
      const { topics } = parameters;
      if (topics === undefined) return resource('', null, { topics: [...TOPIC_NAMES] });
      const named = parseTopics(topics, types());
      for (const topic of named) {
        if (context.client.isExternal && !(await mayAsk(context, topic.asks))) throw refused(topic);
      }
      return resource('', null, { topics: named.map(({ name }) => name) });
    },
  });
}

function refused({ name }: Topic): ForbiddenError {
  return new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    field: 'topics',
    hint: name.startsWith('object:')
      ? `Listen to objects that you may read, one by one: 'object:<type>/<id>'`
      : `You may not ask for what '${name}' tells of`,
  });
}
