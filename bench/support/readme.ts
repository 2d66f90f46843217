import { readFile, writeFile } from 'node:fs/promises';
import { BENCHMARKS } from '../catalogue.ts';
import { type Result, readResult } from './results.ts';
import { formatMachine, formatRows, formatTable } from './table.ts';

/** Of the benchmarks, and of the product, which shows its peers. */
const README = new URL('../README.md', import.meta.url).pathname;
const FRONT = new URL('../../README.md', import.meta.url).pathname;

/** Writes the tables of both anew: what is measured from the catalogue, the figures from the kept results. */
export async function writeReadme(): Promise<void> {
  const found = await Promise.all(BENCHMARKS.map(({ name }) => readResult(name)));
  const results = found.filter((result) => result !== undefined);
  await writeSections(README, { catalogue: formatCatalogue(), figures: formatFigures(results) });
  const peers = results.find(({ bench }) => bench === 'peers');
  if (peers !== undefined) await writeSections(FRONT, { peers: formatPeers(peers) });
}

/** A line for each quantity: both rates, how many times theirs is ours, and how many times our work is theirs. */
function formatPeers({ rows, machine, commit, at }: Result): string {
  const quantities = [...new Set(rows.map(({ quantity }) => quantity))];
  const lines = quantities.map((quantity) => {
    const of = (unit: string) => rows.find((row) => row.quantity === quantity && row.unit === unit);
    const rate = of('/s');
    const work = of('ms of a processor');
    return [
      quantity,
      String(rate?.ours.median ?? ''),
      `${rate?.against ?? ''}: ${rate?.baseline?.median ?? ''}`,
      `${rate?.ratio?.median ?? ''} ×`,
      work?.ratio === undefined ? '' : `1 / ${work.ratio.median}`,
    ];
  });
  return [
    formatTable(['each second', 'this', 'next to', 'rate', 'processor time'], lines),
    `${at.slice(0, 10)}, commit ${commit}; ${machine.cores} cores (${machine.model}) for server, client and Postgres ${machine.postgres} together. \`npm run bench -- peers\` measures it again.`,
  ].join('\n\n');
}

async function writeSections(file: string, sections: Readonly<Record<string, string>>): Promise<void> {
  const before = await readFile(file, 'utf8');
  await writeFile(
    file,
    Object.entries(sections).reduce((text, [name, said]) => replaceSection(text, name, said), before),
  );
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
