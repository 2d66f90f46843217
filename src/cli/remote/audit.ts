import { filter as filterOf } from '#client/index.ts';
import { didYouMean } from '#errors/index.ts';
import { UsageError } from '../usage-error.ts';
import { agreed, DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { isTable, showObject } from './output.ts';
import { isRecord } from './profiles.ts';
import { showAnswer } from './report.ts';
import { sinceOf } from './time-argument.ts';
import { readTree, showBranch } from './transaction-tree.ts';
import { commandOf, commandOfVerbs } from './verb.ts';

const TOPICS = ['access', 'activity', 'authentication', 'config', 'sync', 'recon', '_all'];

/** `svc audit list|tree` */
export const auditTrail = commandOfVerbs({
  name: 'audit',
  summary: 'look into the audit trail',
  verbs: {
    list: {
      does: 'entries, the latest first',
      takes: ['[<topic>]'],
      flags: {
        ...FILTER_FLAG,
        ...LIST_FLAGS,
        user: { value: '<name>', does: 'of what somebody has done' },
        object: { value: '<path>', does: 'of what was done to an object, such as managed/user/avo' },
        since: { value: '<time>', does: 'such as -1d, yesterday, 2026-11-21' },
      },
      example: 'svc audit list --user ada --since -1d',
      run(asked, topic = '_all') {
        if (!TOPICS.includes(topic)) {
          throw new UsageError(
            `there is no audit topic '${topic}'. ${didYouMean(topic, TOPICS) ?? `There are ${TOPICS.join(', ')}`}`,
          );
        }
        const { flags } = asked;
        const [user, object] = [textOf(flags, 'user'), textOf(flags, 'object')];
        const [since, filter] = [sinceOf(textOf(flags, 'since')), textOf(flags, 'filter')];
        const parts = [
          ...(user === undefined ? [] : [filterOf`userId eq ${user}`.text]),
          ...(object === undefined ? [] : [filterOf`objectId eq ${object}`.text]),
          ...(since === undefined ? [] : [filterOf`timestamp ge ${since}`.text]),
          ...(filter === undefined ? [] : [filter]),
        ].map((part) => `(${part})`);
        const defaults = { sort: '-timestamp', ...(isTable(asked.form) ? { fields: SHOWN } : {}) };
        return showList(
          { ...asked, flags: { ...defaults, ...flags } },
          `audit/${topic}`,
          parts.join(' and ') || 'true',
        );
      },
    },
    tree: {
      does: 'all that one request caused',
      takes: ['<transaction>'],
      example: 'svc audit tree 01a200c1-3740-7000-8000-000000000000',
      async run({ client, form }, id: string) {
        const tree = await readTree(client, id);
        if (isTable(form)) showBranch(tree, '');
        else showObject(tree, form);
      },
    },
  },
});

const SHOWN = 'timestamp,topic,userId,operation,objectId,transactionId';

/** `svc undo <entry>`: takes back what an entry of the audit tells of, or all of a transaction. */
export const undo = commandOf('undo', 'take a change back that the audit tells of', {
  does: 'an entry of audit/activity, or with --transaction all that one request has changed',
  takes: ['<id>'],
  flags: {
    ...DRY_RUN,
    transaction: { does: 'the id is that of a transaction' },
    yes: { short: 'y', does: 'does not ask' },
  },
  example: 'svc undo 01a200c1-3740-7000-8000-000000000000 --transaction --dry-run',
  async run({ client, form, flags }, id: string) {
    await agreed(flags, `Take back ${id}?`);
    const dryRun = flags['dry-run'] === true;
    const answer =
      flags['transaction'] === true
        ? await client.resource('audit').action('revert', { body: { transactionId: id }, dryRun })
        : await client.resource('audit/activity').action('revert', { id, body: {}, dryRun });
    showAnswer(isRecord(answer) ? answer : {}, form);
  },
});
