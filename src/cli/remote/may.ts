import type { JsonObject } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { textOf } from './connection.ts';
import { ASSIGNMENTS, CONTENT_NOTES, contentOf, FILE_FLAG } from './content.ts';
import { isTable, say, showObject } from './output.ts';
import { commandOf } from './verb.ts';

interface Judgement extends JsonObject {
  readonly granted: boolean;
  readonly reason: string;
  readonly dependsOnContent?: true;
}

/** `svc may patch managed/user/avo --fields /department` */
export const may = commandOf(
  'may',
  'tell whether a request would be granted, and why; nothing of it is done',
  {
    does: 'read, query, create, update, patch, delete or action; ends with 1 where it is refused',
    takes: ['<method>', '<path>', ASSIGNMENTS],
    flags: {
      ...FILE_FLAG,
      action: { value: '<name>', does: 'of an action, which one' },
      fields: { value: '</name,…>', does: 'properties that a patch or a creation would write' },
      as: { value: '<user>', does: 'asks for somebody else, as administrators may' },
    },
    example: 'svc may patch managed/user/avo --fields /department --as avo',
    async run({ client, flags, form }, method: string, path: string, ...assignments: string[]) {
      const [action, fields, as] = ['action', 'fields', 'as'].map((name) => textOf(flags, name));
      const hasContent = assignments.length > 0 || textOf(flags, 'file') !== undefined;
      const question = {
        method,
        path,
        ...(action === undefined ? {} : { action }),
        ...(fields === undefined ? {} : { fields: fields.split(',').map((field) => field.trim()) }),
        ...(hasContent ? { content: contentOf(flags, assignments) } : {}),
        ...(as === undefined ? {} : { as }),
      };
      const [answer] = await client
        .resource('access')
        .action<readonly [Judgement]>('may', { body: [question] });
      if (!isTable(form)) showObject(answer, form);
      else {
        const depends = answer.dependsOnContent === true ? ', by what is sent' : '';
        say(`${answer.granted ? 'yes' : 'no'}${depends}: ${answer.reason}`);
      }
      return answer.granted ? EXIT.OK : EXIT.FINDING;
    },
  },
  CONTENT_NOTES,
);
