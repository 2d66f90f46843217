/**
 * Runs benchmarks and prints one table: `npm run bench -- [name…]`, without names all that come to an end by
 * themselves and have figures (no soaks, no fuzzing).
 *
 * A benchmark is a program in this folder. What it prints as a line of JSON with a member `bench` becomes a row of
 * the table and of the results, anything else is shown as it comes. `DATABASE_URL` names a server on which it may
 * make databases.
 */
import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { didYouMean } from '#errors/index.ts';
import { describeMachine, type Machine } from './support/machine.ts';
import { openBenchServer } from './support/postgres.ts';
import { formatMachine, formatResults, type Printed } from './support/table.ts';

const FOLDER = import.meta.dirname;
/** No benchmark takes longer than this; one that hangs is ended. */
const LONGEST_MS = 5 * 60_000;

interface Outcome {
  readonly name: string;
  readonly printed: readonly Printed[];
  readonly seconds: number;
  /** Absent when it ended well. */
  readonly failure?: string;
}

process.exitCode = await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<number> {
  const known = await listBenchmarks();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no benchmark '${unknown}'. ${didYouMean(unknown, known) ?? known.join(', ')}`);
    return 2;
  }
  const chosen = names.length > 0 ? names : known.filter((name) => !/(soak|fuzz)$/.test(name));
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

  await using server = await openBenchServer();
  const machine = await describeMachine(server.url);
  console.log(formatMachine(machine));
  const outcomes: Outcome[] = [];
  for (const name of chosen) {
    if (interrupted.signal.aborted) break;
    console.log(`\n${name} …`);
    outcomes.push(await runProgram(name, server.url, interrupted.signal));
  }
  const printed = outcomes.flatMap((outcome) => outcome.printed);
  console.log(`\n${formatResults(machine, printed)}`);
  for (const { name, failure } of outcomes) if (failure !== undefined) console.error(`${name} ${failure}`);
  if (interrupted.signal.aborted) return 1;
  console.log(`\nWritten to ${await writeResults(machine, outcomes)}`);
  return outcomes.some(({ failure }) => failure !== undefined) ? 1 : 0;
}

async function listBenchmarks(): Promise<string[]> {
  const files = await readdir(FOLDER);
  return files
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}

async function runProgram(name: string, databaseUrl: string, signal: AbortSignal): Promise<Outcome> {
  const startedAt = performance.now();
  const printed: Printed[] = [];
  const child = spawn(process.execPath, [join(FOLDER, `${name}.ts`)], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    timeout: LONGEST_MS,
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const row = readRow(line);
    if (row !== undefined) printed.push(row);
    console.log(line);
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('close', (code, by) => resolve(code === 0 ? undefined : `failed with ${code ?? by}`));
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { name, printed, seconds, ...(failure === undefined ? {} : { failure }) };
}

function readRow(line: string): Printed | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(line) as Partial<Printed>;
    return typeof value.bench === 'string' ? (value as Printed) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the file, named after the time and the Postgres and Node that were measured */
async function writeResults(machine: Machine, outcomes: readonly Outcome[]): Promise<string> {
  const at = new Date();
  const time = at.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const version = (text: string) => text.split('.')[0];
  const name = `${time}-node${version(machine.node)}-postgres${version(machine.postgres)}.json`;
  const loadAfter = Math.round(loadavg()[0]! * 100) / 100;
  const benchmarks = outcomes.map(({ name: bench, seconds, failure }) => ({ bench, seconds, failure }));
  const rows = outcomes.flatMap(({ printed }) => printed);
  await mkdir(join(FOLDER, 'results'), { recursive: true });
  const text = JSON.stringify(
    { at: at.toISOString(), machine: { ...machine, loadAfter }, benchmarks, rows },
    null,
    2,
  );
  await writeFile(join(FOLDER, 'results', name), `${text}\n`);
  return join('bench', 'results', name);
}
