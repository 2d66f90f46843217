/** What the next firing costs, here and with cron-parser in the same rounds: microseconds a date. */
import { CronExpressionParser } from 'cron-parser';
import { type DaylightSaving, nextFireTime, parseCron } from '../src/cron/index.ts';
import { getTimeZone } from '../src/time/index.ts';
import { interleave } from './support/rounds.ts';
import { compare, report } from './support/row.ts';

const BENCH = 'cron';
const ZONES = ['UTC', 'America/New_York', 'Europe/Warsaw'];
const ROUNDS = process.argv.includes('--quick') ? 3 : 5;
const GOAL_US = 1;
const START = Date.UTC(2026, 0, 1);

/** The same schedule in both dialects; a walk takes so many dates from the start, a round so many walks of ours. */
const cases = [
  { ours: '0 0/5 * * * ?', theirs: '0 0/5 * * * *', dates: 1000, walks: 30 },
  { ours: '0 0 2 * * ?', theirs: '0 0 2 * * *', dates: 730, walks: 40 },
  { ours: '0 15 10 ? * MON-FRI', theirs: '0 15 10 * * 1-5', dates: 500, walks: 60 },
  { ours: '0 15 10 ? * FRI#3', theirs: '0 15 10 * * 5#3', dates: 100, walks: 300 },
  { ours: '0 15 10 L * ?', theirs: '0 15 10 L * *', dates: 100, walks: 300 },
  { ours: '0 0 0 29 2 ?', theirs: '0 0 0 29 2 *', dates: 5, walks: 6000 },
];

const twentyYearsMs: number[] = [];
for (const zoneId of ZONES) {
  const zone = getTimeZone(zoneId);
  const searchedAt = performance.now();
  for (const year of [2026, 2036]) zone.offsetAt(Date.UTC(year, 0, 1));
  twentyYearsMs.push(performance.now() - searchedAt);
}
const row = { bench: BENCH, unit: 'µs', lessIsBetter: true, goal: { atMost: GOAL_US, of: 'ours' } } as const;
for (const each of cases) {
  const times = { quartz: [] as number[], smooth: [] as number[], cronParser: [] as number[] };
  for (const zoneId of ZONES) {
    const { quartz, smooth, cronParser } = await measure(each, zoneId);
    times.quartz.push(...quartz);
    times.smooth.push(...smooth);
    times.cronParser.push(...cronParser);
  }
  const quantity = `next date of ${each.ours} in three zones`;
  compare({ ...row, quantity, ours: times.quartz }, 'cron-parser', times.cronParser);
  compare({ ...row, quantity: `${quantity}, smooth`, ours: times.smooth }, 'cron-parser', times.cronParser);
}
report({
  bench: BENCH,
  quantity: 'changes of a zone in twenty years, once',
  unit: 'ms',
  ours: twentyYearsMs,
});

async function measure({ ours, theirs, dates, walks }: (typeof cases)[number], zoneId: string) {
  const zone = getTimeZone(zoneId);
  const expression = parseCron(ours);
  const parser = CronExpressionParser.parse(theirs, { tz: zoneId, currentDate: new Date(START) });
  const walkOurs = (dst: DaylightSaving) => () => {
    for (let walk = 0; walk < walks; walk++) {
      let after = START;
      for (let index = 0; index < dates; index++) after = nextFireTime(expression, after, zone, { dst })!;
    }
  };
  const walkTheirs = () => {
    parser.reset(new Date(START));
    for (let index = 0; index < dates; index++) parser.next();
  };
  const contenders = {
    quartz: async () => microsecondsPerDate(walkOurs('quartz'), walks * dates),
    smooth: async () => microsecondsPerDate(walkOurs('smooth'), walks * dates),
    cronParser: async () => microsecondsPerDate(walkTheirs, dates),
  };
  await interleave(1, contenders);
  return interleave(ROUNDS, contenders);
}

function microsecondsPerDate(walk: () => void, dates: number): number {
  const startedAt = performance.now();
  walk();
  return ((performance.now() - startedAt) * 1000) / dates;
}
