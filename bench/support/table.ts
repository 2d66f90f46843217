import type { Machine } from './machine.ts';
import type { Row, Spread } from './row.ts';

const COLUMNS = ['quantity', 'ours', 'next to', 'ratio', 'goal', 'verdict'] as const;
type Line = readonly string[];

/** Rows as a table in Markdown, its columns aligned so that it can be read on a terminal, too. */
export function formatRows(rows: readonly Row[], options: { readonly withBench: boolean }): string {
  return formatTable(
    COLUMNS,
    rows.map((row) => lineOf(row, options.withBench)),
  );
}

export function formatTable(head: Line, lines: readonly Line[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...lines].map((line) => line[column]!.length)),
  );
  const format = (line: Line) =>
    `| ${line.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`;
  return [
    format(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...lines.map(format),
  ].join('\n');
}

export function formatMachine({
  cores,
  model,
  memoryGiB,
  system,
  node,
  postgres,
  postgresSettings,
}: Machine): string {
  const settings = Object.entries(postgresSettings).map(([name, value]) => `${name}=${value}`);
  return `${cores} cores (${model}), ${memoryGiB} GiB, ${system}; Node ${node}, Postgres ${postgres} (${settings.join(', ')})`;
}

function lineOf(row: Row, withBench: boolean): Line {
  const { bench, quantity, unit, ours, against, baseline, ratio, goal, met } = row;
  return [
    `${withBench ? `${bench}: ` : ''}${quantity}, ${unit}`,
    formatSpread(ours),
    baseline === undefined ? '' : `${against ?? ''}: ${formatSpread(baseline)}`,
    ratio === undefined ? '' : formatSpread(ratio),
    goal ?? '',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

function formatSpread({ median, min, max }: Spread): string {
  const number = (value: number) => (value >= 1000 ? Math.round(value).toLocaleString('en') : String(value));
  return min === max ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;
}
