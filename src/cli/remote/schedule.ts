import { asFilter, filter as filterOf } from '#client/index.ts';
import { DRY_RUN } from './change.ts';
import { textOf } from './connection.ts';
import { FILTER_FLAG, LIST_FLAGS, showList } from './get.ts';
import { ListWriter, showObject } from './output.ts';
import { showAnswer } from './report.ts';
import { readTime } from './time-argument.ts';
import { UsageError } from './usage-error.ts';
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
      run: async ({ client, form }, id: string) => showAnswer(await client.scheduler.job(id).pause(), form),
    },
    resume: {
      does: 'it fires again',
      takes: ['<id>'],
      run: async ({ client, form }, id: string) => showAnswer(await client.scheduler.job(id).resume(), form),
    },
    history: {
      does: 'what became of its times; without an id, of those of all',
      takes: ['[<id>]'],
      flags: {
        ...LIST_FLAGS,
        since: { value: '<time>', does: 'such as -1d, yesterday, 2026-11-21; default: all that is kept' },
        failed: { does: 'only what failed' },
      },
      example: 'svc schedule history nightly --since -1d --failed',
      run(asked, id?: string) {
        const since = sinceOf(textOf(asked.flags, 'since'));
        const parts = [
          ...(id === undefined ? [] : [filterOf`schedule eq ${id}`]),
          ...(since === undefined ? [] : [filterOf`plannedAt ge ${since}`]),
          ...(asked.flags['failed'] === true ? [asFilter('failed eq true')] : []),
        ];
        const text = parts.map((part) => `(${part.text})`).join(' and ');
        const sort = { sort: '-plannedAt' };
        return showList({ ...asked, flags: { ...sort, ...asked.flags } }, 'scheduler/firing', text || 'true');
      },
    },
  },
});

/** @throws UsageError for what is no time */
export function sinceOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text, Date.now());
  if (!Number.isNaN(time)) return new Date(time);
  throw new UsageError(`'${text}' is no time such as 2026-08-02T02:00:00Z, -10m, 02:00 or yesterday`);
}
