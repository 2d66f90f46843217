/** The middle and the extremes of some rounds of one measurement. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One line of the results. A program prints it as one line of JSON that begins with `bench`. */
export interface Row {
  readonly bench: string;
  readonly quantity: string;
  readonly unit: string;
  readonly ours: Spread;
  /** What ours is compared with. */
  readonly against?: string;
  readonly baseline?: Spread;
  /** Above 1 ours is better. Of pairs measured in the same round, so that a noisy minute spoils both or none. */
  readonly ratio?: Spread;
  readonly goal?: string;
  readonly met?: boolean;
}

/** Stands below the table: what else should be known of a run. */
export interface Remark {
  readonly bench: string;
  readonly remark: string;
}

/** A goal for the ratio; for our own figure where there is nothing to compare with, or where it says so. */
export type Goal = ({ readonly atLeast: number } | { readonly atMost: number }) & { readonly of?: 'ours' };

export interface Measured {
  readonly bench: string;
  readonly quantity: string;
  readonly unit: string;
  /** One figure a round. */
  readonly ours: readonly number[];
  readonly goal?: Goal;
  /** Less is better, as with times. Default: more is better. */
  readonly lessIsBetter?: boolean;
}

/** Prints a figure with nothing to compare it with; the goal is one for the figure itself. */
export function report({ goal, lessIsBetter: _, ...measured }: Measured): void {
  const ours = spreadOf(measured.ours);
  print({ ...measured, ours, ...verdict(goal, ours.median, measured.unit) });
}

/** Prints our figures beside those of a baseline, round by round. */
export function compare(
  { goal, lessIsBetter = false, ...measured }: Measured,
  against: string,
  baseline: readonly number[],
): void {
  const ratio = spreadOf(
    measured.ours.map((value, round) => (lessIsBetter ? baseline[round]! / value : value / baseline[round]!)),
  );
  print({
    ...measured,
    ours: spreadOf(measured.ours),
    against,
    baseline: spreadOf(baseline),
    ratio,
    ...(goal?.of === 'ours'
      ? verdict(goal, spreadOf(measured.ours).median, measured.unit)
      : verdict(goal, ratio.median)),
  });
}

export function remark(bench: string, text: string): void {
  print({ bench, remark: text });
}

/** A row or remark that a program printed; undefined for any other line. */
export function readPrinted(line: string): Row | Remark | undefined {
  if (!line.startsWith('{"bench":')) return undefined;
  const value = JSON.parse(line) as Row | Remark;
  return 'remark' in value || 'quantity' in value ? value : undefined;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  return {
    median: rounded(sorted[Math.floor((sorted.length - 1) / 2)]!),
    min: rounded(sorted[0]!),
    max: rounded(sorted.at(-1)!),
  };
}

function verdict(goal: Goal | undefined, value: number, unit?: string): Pick<Row, 'goal' | 'met'> {
  if (goal === undefined) return {};
  const suffix = unit === undefined ? '' : ` ${unit}`;
  return 'atLeast' in goal
    ? { goal: `≥ ${goal.atLeast}${suffix}`, met: value >= goal.atLeast }
    : { goal: `≤ ${goal.atMost}${suffix}`, met: value <= goal.atMost };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function print(said: Row | Remark): void {
  const { bench, ...rest } = said;
  console.log(JSON.stringify({ bench, ...rest }));
}
