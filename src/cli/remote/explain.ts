import { isTable, say, showObject } from './output.ts';
import { commandOf } from './verb.ts';

interface Known {
  readonly codes: readonly number[];
  readonly messages: readonly string[];
  readonly hints: readonly string[];
  readonly pages: readonly string[];
}

/** `svc explain <ERROR_ID>` */
export const explain = commandOf('explain', 'tell what the id of an error means, and what to do', {
  does: 'as it stands in an answer or in a log',
  takes: ['<ERROR_ID>'],
  example: 'svc explain SCHED_UNKNOWN_TIME_ZONE',
  async run({ client, form }, id: string) {
    const known = await client.resource<Known>('info/error').read(id);
    if (!isTable(form)) return showObject(known, form);
    say(`${known._id}${known.codes.length === 0 ? '' : `  (${known.codes.join(', ')})`}`);
    for (const message of known.messages) say(`  ${message}`);
    for (const hint of known.hints) say(`  hint: ${hint}`);
    for (const page of known.pages) say(`  see: ${page}`);
  },
});
