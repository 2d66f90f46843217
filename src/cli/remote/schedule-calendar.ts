import { complain } from '../typed-name.ts';
import { countOf, textOf } from './connection.ts';
import { isTable, ListWriter, say, showObject } from './output.ts';
import type { Asked } from './remote-command.ts';
import { sinceOf } from './time-argument.ts';

const DAY_MS = 86_400_000;

interface Calendar {
  readonly from: string;
  readonly to: string;
  readonly schedules: readonly {
    readonly _id: string;
    readonly words: string;
    readonly nodeId?: string;
    readonly paused?: boolean;
    readonly tookMs: number | null;
    readonly times?: readonly string[];
    /** Stands in place of the times of a schedule that fires very often. */
    readonly every?: string;
  }[];
  readonly truncated: boolean;
  readonly slots: {
    readonly capacity: number;
    readonly short: readonly { readonly at: string; readonly needed: number }[];
  };
}

/** `svc schedule calendar` */
export async function showCalendar({ client, flags, form }: Asked, id?: string): Promise<void> {
  const from = sinceOf(textOf(flags, 'from')) ?? new Date();
  const to = new Date(from.getTime() + (countOf(flags, 'days') ?? 1) * DAY_MS);
  const body = { from: from.toISOString(), to: to.toISOString(), ...(id === undefined ? {} : { ids: [id] }) };
  const calendar = await client.scheduler.jobs.action<Calendar>('calendar', { body });
  if (!isTable(form) && form !== 'name') return showObject(calendar, form);
  const { schedules, slots, truncated } = calendar;
  const rows = schedules.flatMap(({ _id, words, tookMs, times = [], every, paused }) => {
    const row = { _id, words: paused === true ? `paused: ${words}` : words, tookMs };
    return every === undefined ? times.map((at) => ({ ...row, at })) : [{ ...row, at: `every ${every}` }];
  });
  rows.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  new ListWriter(form, ['at', 'tookMs', 'words']).show(rows);
  if (truncated) complain('There are more schedules: name one of them.');
  if (form === 'name') return undefined;
  for (const { at, needed } of slots.short)
    say(`${at}: ${needed} runs at once, and room for ${slots.capacity}`);
  return undefined;
}
