/**
 * What the next firing costs, here and with cron-parser, in the same run. Prints one JSON row a case: medians
 * in microseconds per date, and how many times cheaper we are. Run it with `node bench/cron.ts`; absolute
 * figures depend on the machine, the ratio less so.
 */
import { CronExpressionParser } from 'cron-parser';
import { type DaylightSaving, nextFireTime, parseCron } from '../src/scheduler/cron/index.ts';
import { getTimeZone } from '../src/time/index.ts';

const ROUNDS = 7;
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

for (const zoneId of ['UTC', 'America/New_York', 'Europe/Warsaw']) {
  const zone = getTimeZone(zoneId);
  const searchStart = performance.now();
  for (const year of [2026, 2036]) zone.offsetAt(Date.UTC(year, 0, 1));
  const twentyYearsMs = round(performance.now() - searchStart);
  console.log(JSON.stringify({ bench: 'cron.zone', zone: zoneId, twentyYearsMs }));

  for (const { ours, theirs, dates, walks } of cases) {
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
    const quartzUs = measure(walkOurs('quartz'), walks * dates);
    const cronParserUs = measure(walkTheirs, dates);
    console.log(
      JSON.stringify({
        bench: 'cron.next',
        expression: ours,
        zone: zoneId,
        quartzUs: round(quartzUs),
        smoothUs: round(measure(walkOurs('smooth'), walks * dates)),
        cronParserUs: round(cronParserUs),
        ratio: Math.round(cronParserUs / quartzUs),
      }),
    );
  }
}

/** The median of the rounds after one to warm up, in microseconds per date. */
function measure(walk: () => void, dates: number): number {
  walk();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    walk();
    return ((performance.now() - start) * 1000) / dates;
  });
  return times.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)]!;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
