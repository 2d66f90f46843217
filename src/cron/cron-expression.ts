import type { DayRule } from './day-rule.ts';
import type { ValueSet } from './value-set.ts';
import type { YearTerm } from './year-term.ts';

/** A parsed Quartz cron expression. It holds no zone and no time: the same value serves every schedule. */
export interface CronExpression {
  /** The expression as it was written. */
  readonly text: string;
  /** What was accepted although its meaning in Quartz may surprise, one sentence each. */
  readonly warnings: readonly string[];
  readonly seconds: ValueSet;
  readonly minutes: ValueSet;
  readonly hours: ValueSet;
  readonly days: DayRule;
  readonly months: ValueSet;
  /** Empty for every year. */
  readonly years: readonly YearTerm[];
  /**
   * Whether it repeats within an hour or from hour to hour: an element of its second or minute field that is
   * `*`, a range or a step stands for at least two values, or an element of its hour field that is `*`, a
   * range or has a step, with a step of 1, stands for at least two hours. Lists of single values are fixed times. Only
   * the daylight-saving rule `smooth` asks.
   */
  readonly isInterval: boolean;
}
