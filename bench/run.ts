/**
 * Runs benchmarks and prints one table: `npm run bench -- [name…] [--quick | --full] [--readme]`, without names all of the
 * catalogue but those that run apart. `--quick` makes fewer and shorter rounds with less data and keeps nothing; `--full` lets those that stop
 * when their time is up go on until they are through (support/settings.ts); `--readme` measures nothing and
 * writes the tables of README.md anew from the kept results.
 *
 * What a program prints with `support/row.ts` becomes a row of the table and of `results/<name>.json`, anything else is
 * shown as it comes. `DATABASE_URL` names a server on which databases may be made.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean } from '#errors/index.ts';
import { BENCHMARKS } from './catalogue.ts';
import { describeCommit, describeMachine, lookForQuiet, type Quietness } from './support/machine.ts';
import { openBenchServer } from './support/postgres.ts';
import { writeReadme } from './support/readme.ts';
import { keepResult } from './support/results.ts';
import type { Row } from './support/row.ts';
import { runProgram } from './support/run-program.ts';
import { formatMachine, formatRows } from './support/table.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
    },
  });
  const known = BENCHMARKS.map(({ name }) => name);
  const together = BENCHMARKS.filter(({ isApart }) => isApart !== true).map(({ name }) => name);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no benchmark '${unknown}'. ${didYouMean(unknown, known) ?? known.join(', ')}`);
    return 2;
  }
  if (!values.readme) return measure(positionals.length > 0 ? positionals : together, values);
  await writeReadme();
  return 0;
}

async function measure(
  names: readonly string[],
  { quick, full }: { readonly quick: boolean; readonly full: boolean },
): Promise<number> {
  const startedAt = performance.now();
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  await using server = await openBenchServer();
  const machine = await describeMachine(server.url);
  const commit = describeCommit();
  console.log(`${formatMachine(machine)}; commit ${commit}`);
  const rows: Row[] = [];
  const notes: string[] = [];
  const durations: string[] = [];
  const disturbed: string[] = [];
  let hasFailed = false;
  for (const bench of names) {
    if (interrupted.signal.aborted) break;
    const before = await lookForQuiet();
    console.log(`\n${bench} … ${describeQuiet(before)}`);
    if (!before.isQuiet) disturbed.push(bench);
    const file = join(import.meta.dirname, `${bench}.ts`);
    const args = quick ? ['--quick'] : full ? ['--full'] : [];
    const { failure, ...outcome } = await runProgram(file, args, server.url, interrupted.signal);
    rows.push(...outcome.rows);
    durations.push(`${bench} ${outcome.seconds}`);
    notes.push(...outcome.remarks.map((text) => `${bench}: ${text}`));
    if (failure !== undefined) notes.push(`${bench} ${failure}`);
    if (failure !== undefined) hasFailed = true;
    if (quick || failure !== undefined) continue;
    const result = { bench, at: new Date().toISOString(), commit, before, machine, ...outcome };
    if (!(await keepResult(result)))
      notes.push(`${bench}: the kept result is of a quiet machine, so it stays`);
  }
  console.log(`\n${formatMachine(machine)}; commit ${commit}\n\n${formatRows(rows, { withBench: true })}\n`);
  if (disturbed.length > 0)
    console.log(`- WARNING: the machine was not quiet before ${disturbed.join(', ')}`);
  for (const note of notes) console.log(`- ${note}`);
  console.log(`- Seconds: ${durations.join(', ')}`);
  const judged = rows.filter(({ met }) => met !== undefined);
  const met = judged.filter((row) => row.met === true).length;
  console.log(
    `\n${met} of ${judged.length} goals met, in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  if (!quick) await writeReadme();
  return hasFailed ? 1 : 0;
}

function describeQuiet({ isQuiet, busyPercent, load }: Quietness): string {
  return isQuiet
    ? `(the machine is quiet: ${busyPercent} % busy)`
    : `WARNING: the machine is not quiet (${busyPercent} % busy, load ${load}); read ratios only, and with care`;
}
