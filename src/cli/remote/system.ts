import { EXIT } from '../command.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { ListWriter, showObject } from './output.ts';
import { commandOfVerbs } from './verb.ts';

interface Tested {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
}

/** `svc system …`: other systems, as the node reaches them. */
export const system = commandOfVerbs({
  name: 'system',
  summary: 'list other systems, test whether they can be reached, look at their objects',
  verbs: {
    list: {
      does: 'systems, whether each answers as far as the node that is asked knows, and what they show',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      run: (asked) =>
        showList(
          { ...asked, flags: { fields: 'enabled,availability,objectTypes', ...asked.flags } },
          'system',
          textOf(asked.flags, 'filter'),
        ),
    },
    test: {
      does: 'whether a system, or all of them, can be reached; ends with 1 when one cannot',
      takes: ['[<name>]'],
      example: 'svc system test ldap',
      async run({ client, form }, name?: string) {
        const options = name === undefined ? {} : { body: { id: name } };
        const answer = await client.resource('system').action<Tested | readonly Tested[]>('test', options);
        const all: readonly Tested[] = [answer].flat();
        new ListWriter(form, ['name', 'ok', 'error']).show(all.map((one) => ({ _id: one.name, ...one })));
        return all.every(({ ok }) => ok) ? undefined : EXIT.FINDING;
      },
    },
    schema: {
      does: 'its objects as it describes them, for objectTypes of its file',
      takes: ['<name>'],
      example: 'svc system schema ldap -o json',
      run: async ({ client, form }, name: string) =>
        showObject(
          await client.resource(`system/${encodeURIComponent(name)}`).action<object>('schema'),
          form,
        ),
    },
    'sql-trigger': {
      does: 'the statements that have a database note what is written, for changeTable of its file',
      takes: ['<name>'],
      flags: { print: { does: 'as a text, for the client of the database' } },
      example: 'svc system sql-trigger hr --print | psql "$HR_DATABASE"',
      async run({ client, form, flags }, name: string) {
        const answer = await client
          .resource(`system/${encodeURIComponent(name)}`)
          .action<{ readonly statements: string }>('preparation');
        if (flags['print'] === true) process.stdout.write(answer.statements);
        else showObject(answer, form);
      },
    },
    query: {
      does: 'objects of a system',
      takes: ['<name>/<type>'],
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      example: `svc system query ldap/account --filter 'uid eq "dora"'`,
      run: (asked, place: string) => showList(asked, `system/${place}`, textOf(asked.flags, 'filter')),
    },
  },
});
