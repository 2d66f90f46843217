import { filter as filterOf } from '#client/index.ts';
import { agreed } from './change.ts';
import { textOf } from './connection.ts';
import { LIST_FLAGS, showList } from './list.ts';
import type { Asked } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs, type Flag } from './verb.ts';

const MAPPING: Readonly<Record<string, Flag>> = {
  mapping: { short: 'm', value: '<mapping>', does: 'only those of this mapping' },
};
const SOURCE: Readonly<Record<string, Flag>> = {
  source: { value: '<id>', does: 'only that of this source object of the mapping' },
};

/** `svc queue …`: deliveries of mappings that are still to be done. */
export const queue = commandOfVerbs({
  name: 'queue',
  summary: 'list deliveries of mappings that wait, are held or were given up; have them done, or drop them',
  verbs: {
    list: {
      does: 'what is still to be done, and why it is not',
      flags: {
        ...MAPPING,
        state: { value: '<state>', does: 'only what is waiting, retrying, held or dead' },
        ...LIST_FLAGS,
      },
      example: 'svc queue list --state dead -o table',
      run(asked) {
        const [mapping, state] = [textOf(asked.flags, 'mapping'), textOf(asked.flags, 'state')];
        const parts = [
          ...(mapping === undefined ? [] : [filterOf`mapping eq ${mapping}`]),
          ...(state === undefined ? [] : [filterOf`state eq ${state}`]),
        ];
        const text = parts.map((part) => `(${part.text})`).join(' and ');
        const fields = { fields: 'mapping,sourceId,state,attempt,dueAt,error' };
        return showList({ ...asked, flags: { ...fields, ...asked.flags } }, 'sync/queue', text || 'true');
      },
    },
    retry: {
      does: 'have those tried again that were given up',
      flags: { ...MAPPING, ...SOURCE },
      example: 'svc queue retry -m user_account',
      run: (asked) => act(asked, 'retry'),
    },
    approve: {
      does: 'have done what a delivery of all would take away, and was held',
      flags: MAPPING,
      run: (asked) => act(asked, 'approve'),
    },
    drop: {
      does: 'forget what was given up, or is held; on a terminal it asks before',
      flags: { ...MAPPING, ...SOURCE, yes: { short: 'y', does: 'does not ask' } },
      async run(asked) {
        await agreed(asked.flags, 'Forget what was given up, or is held?');
        await act(asked, 'drop');
      },
    },
  },
});

async function act(asked: Asked, action: string): Promise<void> {
  const [mapping, sourceId] = [textOf(asked.flags, 'mapping'), textOf(asked.flags, 'source')];
  const parameters = {
    ...(mapping === undefined ? {} : { mapping }),
    ...(sourceId === undefined ? {} : { sourceId }),
  };
  showAnswer(await asked.client.resource('sync/queue').action<object>(action, { parameters }), asked.form);
}
