import { asFilter, type Scan } from '#client/index.ts';
import { cancelRun } from './cancel-run.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { say } from './output.ts';
import type { Asked } from './remote-command.ts';
import { isSpoken, showAnswer, showDone } from './report.ts';
import { formatScan } from './scan-progress.ts';
import { commandOfVerbs } from './verb.ts';
import { WATCH, watchRun } from './watch-run.ts';

/** `svc scan …`: the task scanner from the outside. */
export const scan = commandOfVerbs({
  name: 'scan',
  summary: 'run the scan of a schedule, watch it, cancel it',
  notes:
    'A run that is watched ends with 1 when it failed, was cancelled, or failed for some of its objects.',
  verbs: {
    run: {
      does: 'run the scan of a schedule now; --dry-run tells what it would claim and change',
      takes: ['<schedule>'],
      flags: { ...WATCH, ...DRY_RUN },
      example: 'svc scan run purge-inactive-users --watch',
      async run(asked, schedule: string) {
        const { client, flags, form } = asked;
        const dryRun = flags['dry-run'] === true;
        const answer = await client.resource('taskscanner').action<{ _id: string }>('execute', {
          parameters: {
            name: schedule.includes('/') ? schedule : `schedule/${schedule}`,
            ...(dryRun ? {} : { waitForCompletion: 'false' }),
          },
          dryRun,
        });
        if ('dryRun' in answer) return showAnswer(answer, form);
        if (flags['watch'] === true) return watch(asked, answer._id);
        showDone(asked, answer, `scan ${answer._id} started; svc scan watch ${answer._id}`);
      },
    },
    watch: {
      does: 'show how far a run is, until it has ended',
      takes: ['<id>'],
      run: (asked, id: string) => watch(asked, id),
    },
    cancel: {
      does: 'end a run between two objects',
      takes: ['<id>'],
      run: (asked, id: string) => cancelRun(asked, 'taskscanner', 'scan', id),
    },
    list: {
      does: 'the runs that are remembered',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      async run(asked) {
        const filter = textOf(asked.flags, 'filter');
        if (!isSpoken(asked)) return showList(asked, 'taskscanner', filter);
        const query = filter === undefined ? {} : { filter: asFilter(filter) };
        for await (const run of asked.client.resource<Scan>('taskscanner').query(query)) {
          say(`${run._id}  ${formatScan(run, 20)}`);
        }
      },
    },
    failures: {
      does: 'the objects that failed in a run, and why',
      takes: ['<id>'],
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      example: 'svc scan failures 7c3e -o table --filter \'message co "mail"\'',
      run: (asked, id: string) =>
        showList(
          { ...asked, flags: { fields: 'failedAt,message', ...asked.flags } },
          `taskscanner/${id}/failure`,
          textOf(asked.flags, 'filter'),
        ),
    },
    retry: {
      does: 'try again what failed in a run',
      takes: ['<id>'],
      flags: { ...WATCH, ...DRY_RUN },
      async run(asked, id: string) {
        const { client, flags, form } = asked;
        const answer = await client
          .resource('taskscanner')
          .action<{ _id: string }>('retry', { id, dryRun: flags['dry-run'] === true });
        if ('dryRun' in answer) return showAnswer(answer, form);
        if (flags['watch'] === true) return watch(asked, answer._id);
        showAnswer(answer, form);
      },
    },
  },
});

function watch(asked: Asked, id: string): Promise<number> {
  const read = async () => {
    const run = await asked.client.resource<Scan>('taskscanner').read(id);
    return { shown: run, run };
  };
  return watchRun(asked, read);
}
