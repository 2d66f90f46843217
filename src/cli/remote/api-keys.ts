import { agreed, DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { showAnswer } from './report.ts';
import { sinceOf } from './time-argument.ts';
import { commandOfVerbs } from './verb.ts';

/** `svc api-key list|create|revoke`: keys that a node keeps. */
export const apiKeys = commandOfVerbs({
  name: 'api-key',
  summary: 'list, make and revoke the keys of programs',
  verbs: {
    list: {
      does: 'the keys, without what would let somebody in',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      example: 'svc api-key list -o table',
      run: (asked) => showList(asked, 'apikey', textOf(asked.flags, 'filter')),
    },
    create: {
      does: 'one, which is shown this once',
      takes: ['<id>'],
      flags: {
        roles: { value: '<role,…>', does: 'what the program may do; default: svc-authorized' },
        expires: { value: '<time>', does: 'when it ends, such as 2027-01-01T00:00:00Z; default: never' },
        description: { value: '<text>', does: 'what it is for' },
      },
      example: 'svc api-key create reporting --roles svc-authorized --expires 2027-01-01T00:00:00Z',
      async run({ client, flags, form }, id: string) {
        const roles = (textOf(flags, 'roles') ?? 'svc-authorized').split(',').map((role) => role.trim());
        const expiresAt = sinceOf(textOf(flags, 'expires'))?.toISOString();
        const description = textOf(flags, 'description');
        const body = {
          roles,
          ...(expiresAt === undefined ? {} : { expiresAt }),
          ...(description === undefined ? {} : { description }),
        };
        showAnswer(await client.resource('apikey').create(body, { id }), form);
      },
    },
    revoke: {
      does: 'from now on it lets nobody in',
      takes: ['<id>'],
      flags: { ...DRY_RUN, yes: { short: 'y', does: 'does not ask' } },
      async run({ client, flags, form }, id: string) {
        await agreed(flags, `Revoke the key ${id}?`);
        const dryRun = flags['dry-run'] === true;
        showAnswer(await client.resource('apikey').delete(id, { dryRun }), form);
      },
    },
  },
});
