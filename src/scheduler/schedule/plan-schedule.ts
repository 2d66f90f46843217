import type { PlannedEffect, ScheduleConfig } from '#config/index.ts';
import type { DaylightSaving } from '#cron/index.ts';
import { asJson, equalJson, isObject, type JsonValue } from '#json/index.ts';
import { previewFirings } from './preview-firings.ts';
import { parseSchedule } from './schedule.ts';

const SHOWN = 5;

/** When a schedule of a file would run, and when it runs today. */
export function planSchedule(
  {
    id,
    previous,
    current,
  }: {
    readonly id: string;
    readonly previous: ScheduleConfig | undefined;
    readonly current: ScheduleConfig | undefined;
  },
  now: number,
  dst: DaylightSaving,
): readonly PlannedEffect[] {
  const [before, after] = [previous, current].map((value) => nextRuns(value, now, dst));
  if (before === undefined || after === undefined || equalJson([...before], [...after])) return [];
  const name = id.slice(id.indexOf('/') + 1);
  return [
    {
      kind: 'schedule.firings',
      schedule: name,
      before: [...before],
      after: [...after],
      text:
        after.length === 0
          ? `'${name}' does not run any more`
          : `'${name}' runs next at ${String(after[0])}, ${before.length === 0 ? 'and not at all today' : `and at ${String(before[0])} as it is`}`,
    },
  ];
}

function nextRuns(value: ScheduleConfig | undefined, now: number, dst: DaylightSaving): readonly JsonValue[] {
  if (value === undefined) return [];
  const definition = parseSchedule(asJson(value), { persisted: false });
  if (!definition.enabled) return [];
  const { dates } = previewFirings(definition, now, SHOWN, dst);
  return Array.isArray(dates) ? dates.map((date) => (isObject(date) ? (date['date'] ?? null) : null)) : [];
}
