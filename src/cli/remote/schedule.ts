import { asFilter, filter as filterOf } from '#client/index.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './list.ts';
import { ListWriter, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { showCalendar } from './schedule-calendar.ts';
import { sinceOf } from './time-argument.ts';
import { commandOfVerbs } from './verb.ts';

interface Dates {
  readonly dates: readonly { readonly date: string; readonly localTime: string; readonly note?: string }[];
}

/** `svc schedule …` */
export const schedule = commandOfVerbs({
  name: 'schedule',
  summary: 'list schedules, run one now, pause it, look at what became of it',
  verbs: {
    list: {
      does: 'schedules, and when they fire next',
      flags: { ...FILTER_FLAG, ...LIST_FLAGS },
      example: 'svc schedule list -o table',
      run: (asked) =>
        showList(
          { ...asked, flags: { fields: 'enabled,type,schedule,nextRunDate', ...asked.flags } },
          'scheduler/job',
          textOf(asked.flags, 'filter'),
        ),
    },
    show: {
      does: 'one of them',
      takes: ['<id>'],
      run: async ({ client, form }, id: string) => showObject(await client.scheduler.job(id).read(), form),
    },
    next: {
      does: 'the times at which it will fire, with what changes of clocks do to them',
      takes: ['<id>'],
      flags: { count: { value: '<n>', does: 'how many; default 5' } },
      example: 'svc schedule next nightly --count 3',
      async run({ client, flags, form }, id: string) {
        const count = Number(textOf(flags, 'count') ?? 5);
        const body = Number.isNaN(count) ? { count: textOf(flags, 'count') } : { count };
        const { dates } = await client.scheduler.jobs.action<Dates>('nextRunDates', { id, body });
        new ListWriter(form, ['localTime', 'note']).show(
          dates.map(({ date, ...more }) => ({ _id: date, ...more })),
        );
      },
    },
    run: {
      does: 'fire it now, on any node',
      takes: ['<id>'],
      flags: DRY_RUN,
      example: 'svc schedule run nightly --dry-run',
      run: async ({ client, flags, form }, id: string) =>
        showAnswer(await client.scheduler.job(id).trigger({ dryRun: flags['dry-run'] === true }), form),
    },
    pause: {
      does: 'it fires no more',
      takes: ['<id>'],
      flags: DRY_RUN,
      run: (asked, id: string) => act(asked, 'pause', id),
    },
    resume: {
      does: 'it fires again',
      takes: ['<id>'],
      flags: DRY_RUN,
      run: (asked, id: string) => act(asked, 'resume', id),
    },
    calendar: {
      does: 'when all of them fire, in the order of time, and whether the nodes have room for it',
      takes: ['[<id>]'],
      flags: {
        from: { value: '<time>', does: 'such as 02:00, 2027-03-27; default: now' },
        days: { value: '<n>', does: 'up to 31; default 1' },
      },
      example: 'svc schedule calendar --days 7',
      run: showCalendar,
    },
    history: {
      does: 'what became of its times; without an id, of those of all',
      takes: ['[<id>]'],
      flags: {
        ...FILTER_FLAG,
        ...LIST_FLAGS,
        since: { value: '<time>', does: 'such as -1d, yesterday, 2026-11-21; default: all that is kept' },
        failed: { does: 'only what failed' },
      },
      example: 'svc schedule history nightly --since -1d --failed',
      run(asked, id?: string) {
        const since = sinceOf(textOf(asked.flags, 'since'));
        const filter = textOf(asked.flags, 'filter');
        const parts = [
          ...(id === undefined ? [] : [filterOf`schedule eq ${id}`]),
          ...(since === undefined ? [] : [filterOf`plannedAt ge ${since}`]),
          ...(asked.flags['failed'] === true ? [asFilter('failed eq true')] : []),
          ...(filter === undefined ? [] : [asFilter(filter)]),
        ];
        const text = parts.map((part) => `(${part.text})`).join(' and ');
        const sort = { sort: '-plannedAt' };
        return showList({ ...asked, flags: { ...sort, ...asked.flags } }, 'scheduler/firing', text || 'true');
      },
    },
  },
});

async function act({ client, flags, form }: Asked, action: 'pause' | 'resume', id: string): Promise<void> {
  const dryRun = flags['dry-run'] === true;
  showAnswer(await client.scheduler.jobs.action(action, { id, dryRun }), form);
}
