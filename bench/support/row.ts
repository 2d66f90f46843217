/** The middle and the extremes of some rounds of one measurement. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One line of the results. A program prints it as one line of JSON; `bench` says that it is meant for the table. */
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

/** A goal for the ratio, or for our own figure where there is nothing to compare with. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

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
  print({ ...measured, ours, ...verdict(goal, ours.median) });
}

/** Prints our figures beside those of a baseline, round by round; the goal is one for the ratio. */
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
    ...verdict(goal, ratio.median),
  });
}

/** What else should be known of a run; stands below the table. */
export function remark(bench: string, text: string): void {
  console.log(JSON.stringify({ bench, remark: text }));
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  return {
    median: rounded(sorted[Math.floor((sorted.length - 1) / 2)]!),
    min: rounded(sorted[0]!),
    max: rounded(sorted.at(-1)!),
  };
}

function verdict(goal: Goal | undefined, value: number): Pick<Row, 'goal' | 'met'> {
  if (goal === undefined) return {};
  return 'atLeast' in goal
    ? { goal: `≥ ${goal.atLeast}`, met: value >= goal.atLeast }
    : { goal: `≤ ${goal.atMost}`, met: value <= goal.atMost };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function print(row: Row): void {
  console.log(JSON.stringify(row));
}
