import { filter as filterOf } from '#client/index.ts';
import { UsageError } from '../usage-error.ts';
import { agreed, DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { LIST_FLAGS, showList } from './list.ts';
import type { Asked } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { commandOfVerbs, type Flag } from './verb.ts';

interface Link {
  readonly _id: string;
  readonly _rev: string;
  readonly linkType: string;
  readonly linkQualifier: string;
  readonly firstId: string;
  readonly secondId: string;
}

const QUALIFIER: Readonly<Record<string, Flag>> = {
  qualifier: { value: '<name>', does: 'of this link qualifier; default: default' },
};

/** `svc link …`: which objects belong together. */
export const link = commandOfVerbs({
  name: 'link',
  summary: 'list links of mappings, and mend them',
  notes: 'A link has the name of the mapping that has made it, and the id at the source of that first.',
  verbs: {
    list: {
      does: 'links of a mapping; with an id, those of the objects of this id',
      takes: ['<mapping>', '[<id>]'],
      flags: LIST_FLAGS,
      example: 'svc link list user_account -o table',
      run(asked, mapping: string, id?: string) {
        const ofObject =
          id === undefined ? '' : ` and (${filterOf`firstId eq ${id} or secondId eq ${id}`.text})`;
        const fields = { fields: 'firstId,secondId,linkQualifier' };
        const text = `${filterOf`linkType eq ${mapping}`.text}${ofObject}`;
        return showList({ ...asked, flags: { ...fields, ...asked.flags } }, 'repo/link', text);
      },
    },
    add: {
      does: 'link two objects',
      takes: ['<mapping>', '<id>', '<id>'],
      flags: { ...QUALIFIER, ...DRY_RUN },
      example: 'svc link add user_account avo 41',
      async run(asked, linkType: string, firstId: string, secondId: string) {
        const content = { linkType, linkQualifier: qualifierOf(asked), firstId, secondId };
        const links = asked.client.resource('repo/link');
        showAnswer(await links.create(content, { dryRun: asked.flags['dry-run'] === true }), asked.form);
      },
    },
    move: {
      does: 'link an object with another one than now',
      takes: ['<mapping>', '<id>', '<id>'],
      flags: { ...QUALIFIER, ...DRY_RUN },
      async run(asked, mapping: string, firstId: string, secondId: string) {
        const { _id, _rev, ...before } = await only(asked, mapping, firstId);
        const links = asked.client.resource('repo/link');
        const options = { revision: _rev, dryRun: asked.flags['dry-run'] === true };
        showAnswer(await links.update(_id, { ...before, secondId }, options), asked.form);
      },
    },
    remove: {
      does: 'objects do not belong together any more; on a terminal it asks before',
      takes: ['<mapping>', '<id>'],
      flags: { ...QUALIFIER, ...DRY_RUN, yes: { short: 'y', does: 'does not ask' } },
      async run(asked, mapping: string, firstId: string) {
        const { _id, _rev, secondId } = await only(asked, mapping, firstId);
        await agreed(asked.flags, `Remove the link of ${firstId} and ${secondId}?`);
        const options = { revision: _rev, dryRun: asked.flags['dry-run'] === true };
        showAnswer(await asked.client.resource('repo/link').delete(_id, options), asked.form);
      },
    },
  },
});

function qualifierOf({ flags }: Asked): string {
  return textOf(flags, 'qualifier') ?? 'default';
}

/** @throws UsageError where there is none */
async function only(asked: Asked, mapping: string, firstId: string): Promise<Link> {
  const qualifier = qualifierOf(asked);
  const filter = filterOf`linkType eq ${mapping} and linkQualifier eq ${qualifier} and firstId eq ${firstId}`;
  for await (const { result } of asked.client.resource<Link>('repo/link').query({ filter }).pages()) {
    const [found] = result;
    if (found !== undefined) return found;
  }
  throw new UsageError(
    `there is no link of '${firstId}' by '${mapping}'; svc link list ${mapping} shows all`,
  );
}
