import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/*
 * The recorded outcomes of Groovy snippets, which every run of the tests compares ours with, compared with the Groovy
 * of this machine. It takes a Java machine, so it runs only where a `groovy` command is.
 */
interface Row {
  readonly source: string;
  readonly value?: string;
  readonly error?: string;
  readonly printed?: string;
  readonly variables?: readonly string[];
}

const hasGroovy = spawnSync('groovy', ['--version'], { stdio: 'ignore' }).status === 0;
const fixtures = join(import.meta.dirname, '../fixtures/groovy');

describe.skipIf(!hasGroovy)('Groovy as it is installed here', () => {
  test('does with each snippet what was recorded', () => {
    const rows = readdirSync(fixtures).flatMap(
      (file) => (JSON.parse(readFileSync(join(fixtures, file), 'utf8')) as { rows: Row[] }).rows,
    );
    const recorded = rows.map(({ source, value, error, printed, variables }) => ({
      source,
      ...(value === undefined ? {} : { value }),
      ...(error === undefined ? {} : { error }),
      ...(printed === undefined ? {} : { printed }),
      ...(variables === undefined ? {} : { variables }),
    }));
    expect(runGroovy(recorded.map(({ source }) => source))).toEqual(recorded);
  });
});

function runGroovy(sources: readonly string[]): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-groovy-'));
  try {
    const [given, taken] = [join(folder, 'snippets.json'), join(folder, 'outcomes.json')];
    writeFileSync(given, JSON.stringify(sources));
    const oracle = join(import.meta.dirname, 'groovy-oracle.groovy');
    const { status, stderr } = spawnSync('groovy', [oracle, given, taken], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(readFileSync(taken, 'utf8')) as Row[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
