import { UsageError } from '../usage-error.ts';
import { type Flags, textOf } from './connection.ts';
import { ASSIGNMENTS, CONTENT_NOTES, contentOf, FILE_FLAG, isAssignment, operationsOf } from './content.ts';
import { isRecord } from './profiles.ts';
import { confirmed } from './prompt.ts';
import { pathOf } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { commandOf, type Flag, type Verb } from './verb.ts';

export const DRY_RUN: Readonly<Record<string, Flag>> = {
  'dry-run': { does: 'shows what would change, and changes nothing' },
};
const IF_MATCH: Readonly<Record<string, Flag>> = {
  'if-match': { value: '<rev>', does: 'only if this is still its revision; else it ends with 5' },
};

/** `svc create <type> [<id>] …` */
export const create = commandOf(
  'create',
  'create an object',
  {
    does: 'a managed type, or a path such as scheduler/job',
    takes: ['<type>', '[<id>]', ASSIGNMENTS],
    flags: { ...FILE_FLAG, ...DRY_RUN },
    example: "svc create role auditor name=auditor 'description=May read everything'",
    async run({ client, form, flags }, type: string, ...rest: string[]) {
      const [first = ''] = rest;
      const id = first === '' || isAssignment(first) ? undefined : first;
      const content = contentOf(flags, id === undefined ? rest : rest.slice(1));
      if (!isRecord(content)) throw new UsageError('what is created is an object of JSON');
      const options = { dryRun: flags['dry-run'] === true, ...(id === undefined ? {} : { id }) };
      showAnswer(await client.resource(pathOf(type)).create(content, options), form);
    },
  },
  CONTENT_NOTES,
);

const patching: Verb = {
  does: 'set what is named, or send a list of {operation, field, value}',
  takes: ['<type>', '<id>', ASSIGNMENTS],
  flags: { ...FILE_FLAG, ...IF_MATCH, ...DRY_RUN },
  async run({ client, form, flags }, type: string, id: string, ...rest: string[]) {
    if (isAssignment(id)) throw new UsageError('the <id> is missing');
    const operations = operationsOf(contentOf(flags, rest));
    showAnswer(await client.resource(pathOf(type)).patch(id, operations, changeOf(flags)), form);
  },
};

/** `svc patch <type> <id> …`, which is also called `set`. */
export const patch = commandOf(
  'patch',
  'change parts of an object',
  { ...patching, example: 'svc patch user avo accountStatus=inactive --dry-run' },
  CONTENT_NOTES,
);
export const set = commandOf(
  'set',
  'the same as patch',
  { ...patching, example: 'svc set user avo sn=Vogl' },
  CONTENT_NOTES,
);

/** `svc delete <type> <id>` */
export const remove = commandOf('delete', 'delete an object', {
  does: 'on a terminal it asks before',
  takes: ['<type>', '<id>'],
  flags: { ...IF_MATCH, ...DRY_RUN, yes: { short: 'y', does: 'does not ask' } },
  example: 'svc delete role auditor --dry-run',
  async run({ client, form, flags }, type: string, id: string) {
    const path = pathOf(type);
    await agreed(flags, `Delete ${path}/${id}?`);
    showAnswer(await client.resource(path).delete(id, changeOf(flags)), form);
  },
});

/** @throws UsageError where the person at the terminal does not want it */
export async function agreed(flags: Flags, question: string): Promise<void> {
  if (flags['yes'] === true || flags['dry-run'] === true || (await confirmed(question))) return;
  throw new UsageError('nothing was changed');
}

function changeOf(flags: Flags) {
  const revision = textOf(flags, 'if-match');
  return { dryRun: flags['dry-run'] === true, ...(revision === undefined ? {} : { revision }) };
}
