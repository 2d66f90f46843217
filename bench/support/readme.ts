import { readFile, writeFile } from 'node:fs/promises';
import { BENCHMARKS } from '../catalogue.ts';
import { type Result, readResult } from './results.ts';
import { formatMachine, formatRows, formatTable } from './table.ts';

const README = new URL('../README.md', import.meta.url).pathname;

/** Writes the tables of README.md anew: what is measured from the catalogue, the figures from the kept results. */
export async function writeReadme(): Promise<void> {
  const found = await Promise.all(BENCHMARKS.map(({ name }) => readResult(name)));
  const results = found.filter((result) => result !== undefined);
  let text = await readFile(README, 'utf8');
  text = replaceSection(text, 'catalogue', formatCatalogue());
  text = replaceSection(text, 'figures', formatFigures(results));
  await writeFile(README, text);
}

function formatCatalogue(): string {
  return formatTable(
    ['name', 'what', 'next to'],
    BENCHMARKS.map(({ name, what, nextTo }) => [`\`${name}\``, what, nextTo]),
  );
}

function formatFigures(results: readonly Result[]): string {
  const rows = results.flatMap((result) => result.rows);
  const judged = rows.filter(({ met }) => met !== undefined);
  const met = judged.filter((row) => row.met === true);
  const machines = new Set(results.map(({ machine }) => formatMachine(machine)));
  const missing = BENCHMARKS.filter(({ name }) => !results.some(({ bench }) => bench === name));
  return [
    `${met.length} of ${judged.length} goals are met.`,
    ...(missing.length === 0 ? [] : [`No result is kept of ${missing.map(({ name }) => name).join(', ')}.`]),
    ...(machines.size === 1 ? [`Machine: ${[...machines][0]}.`] : []),
    ...results.flatMap((result) => formatResult(result, machines.size > 1)),
  ].join('\n\n');
}

function formatResult(result: Result, withMachine: boolean): string[] {
  const { bench, at, commit, before, seconds, machine, rows, remarks } = result;
  const quiet = before.isQuiet
    ? 'on a quiet machine'
    : `**while other work kept ${before.busyPercent} % of the machine busy**`;
  return [
    `### ${bench}`,
    `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${quiet}, ${seconds} s${withMachine ? `; ${formatMachine(machine)}` : ''}`,
    formatRows(rows, { withBench: false }),
    ...(remarks.length === 0 ? [] : [remarks.map((remark) => `- ${remark}`).join('\n')]),
  ];
}

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
function replaceSection(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no section ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
