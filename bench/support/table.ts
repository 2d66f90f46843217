import type { Machine } from './machine.ts';
import type { Row, Spread } from './row.ts';

/** What a program printed for the results; of programs that know nothing of `Row`, whatever fields they have. */
export type Printed = Readonly<Record<string, unknown>> & { readonly bench: string };

const COLUMNS = ['quantity', 'ours', 'baseline', 'ratio', 'goal'] as const;
type Line = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** The results as text: the machine, a table, and the remarks below it. */
export function formatResults(machine: Machine, printed: readonly Printed[]): string {
  const lines = printed.filter((each) => !('remark' in each)).map((each) => lineOf(each));
  const head: Line = {
    quantity: 'quantity',
    ours: 'ours',
    baseline: 'baseline',
    ratio: 'ratio',
    goal: 'goal',
  };
  const widths = COLUMNS.map((column) => Math.max(...[head, ...lines].map((line) => line[column].length)));
  const row = (line: Line) =>
    `| ${COLUMNS.map((column, index) => line[column].padEnd(widths[index]!)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const remarks = printed
    .filter((each) => 'remark' in each)
    .map(({ bench, remark }) => `- ${bench}: ${String(remark)}`);
  return [
    formatMachine(machine),
    '',
    row(head),
    rule,
    ...lines.map(row),
    ...(remarks.length === 0 ? [] : ['', ...remarks]),
  ].join('\n');
}

export function formatMachine(machine: Machine): string {
  const { cores, model, memoryGiB, system, node, postgres, postgresSettings, commit, loadBefore } = machine;
  const settings = Object.entries(postgresSettings).map(([name, value]) => `${name}=${value}`);
  return (
    `${cores} cores (${model}), ${memoryGiB} GiB, ${system}; Node ${node}, Postgres ${postgres} ` +
    `(${settings.join(', ')}); commit ${commit}; load average before: ${loadBefore}`
  );
}

function lineOf(printed: Printed): Line {
  if (!isRow(printed)) return lineOfOthers(printed);
  const { bench, quantity, unit, ours, against, baseline, ratio, goal, met } = printed;
  return {
    quantity: `${bench}: ${quantity}, ${unit}`,
    ours: formatSpread(ours),
    baseline: baseline === undefined ? '' : `${formatSpread(baseline)} ${against ?? ''}`,
    ratio: ratio === undefined ? '' : formatSpread(ratio),
    goal: goal === undefined ? '' : `${goal} ${met === true ? 'met' : 'not met'}`,
  };
}

/** Texts say what was measured; beside a `ratio` the first number is ours, the last one what it is compared with. */
function lineOfOthers({ bench, ratio, ...fields }: Printed): Line {
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  const numbers = Object.entries(fields)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${value} ${name}`);
  const isCompared = typeof ratio === 'number';
  return {
    quantity: texts.length === 0 ? bench : `${bench}: ${texts.join(', ')}`,
    ours: isCompared ? (numbers[0] ?? '') : numbers.join(', '),
    baseline: isCompared ? (numbers.at(-1) ?? '') : '',
    ratio: isCompared ? String(ratio) : '',
    goal: '',
  };
}

function isRow(printed: Printed): printed is Printed & Row {
  return typeof printed['quantity'] === 'string' && typeof printed['ours'] === 'object';
}

function formatSpread({ median, min, max }: Spread): string {
  const number = (value: number) => (value >= 1000 ? Math.round(value).toLocaleString('en') : String(value));
  return min === max ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;
}
