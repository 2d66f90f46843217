import { countOf, textOf } from './connection.ts';
import { isTable, say } from './output.ts';
import { TOPICS } from './topics.ts';
import { commandOf } from './verb.ts';
import { yamlText } from './yaml-text.ts';

/** `svc events <topic …>` */
export const events = commandOf('events', 'listen to what happens, by its name alone', {
  does: `${TOPICS.join(', ')}, object:<type>[/<id>]`,
  takes: ['<topic>', '[<topic> …]'],
  flags: {
    after: { value: '<id>', does: 'go on behind that which was heard last' },
    limit: { value: '<n>', does: 'end after so many; default: never' },
  },
  example: 'svc events object:user schedule',
  async run({ client, flags, form }, ...topics: string[]) {
    const after = textOf(flags, 'after');
    let left = countOf(flags, 'limit') ?? Number.POSITIVE_INFINITY;
    const heard = client.events(
      topics.flatMap((topic) => topic.split(',')),
      after === undefined ? {} : { after },
    );
    for await (const { event, id, data } of heard) {
      if (event === 'open') continue;
      const { topic = '', operation = '', resource = '', node = '' } = data;
      if (isTable(form)) say(`${id ?? ''}  ${event}  ${topic}  ${operation}  ${resource}  ${node}`.trimEnd());
      else if (form === 'name') say(String(resource));
      else say(form === 'yaml' ? yamlText([{ id, event, ...data }]) : JSON.stringify({ id, event, ...data }));
      // What was missed is none of those that were asked for.
      if (event !== 'gap') left -= 1;
      if (left <= 0 || !process.stdout.writable) return;
    }
  },
});
