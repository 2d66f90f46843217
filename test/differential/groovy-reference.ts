import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a snippet does, in the form of the recorded fixtures. */
export interface Outcome {
  readonly source: string;
  readonly value?: string;
  readonly error?: string;
  readonly printed?: string;
  readonly variables?: readonly string[];
}

export const VERSION = '4.0.26';
export const MODULES = [
  'groovy',
  'groovy-json',
  'groovy-dateutil',
  'groovy-datetime',
  'groovy-templates',
  'groovy-xml',
];
const FIXTURES = join(import.meta.dirname, '../fixtures/groovy');
const ORACLE = join(import.meta.dirname, 'groovy-oracle.groovy');

function jarOf(module: string): string {
  return join(homedir(), '.m2/repository/org/apache/groovy', module, VERSION, `${module}-${VERSION}.jar`);
}

/** Why the original cannot be asked on this machine; undefined when it can. */
export function missingReference(): string | undefined {
  if (spawnSync('java', ['-version'], { stdio: 'ignore' }).status !== 0) return 'there is no java';
  const missing = MODULES.filter((module) => !existsSync(jarOf(module)));
  return missing.length === 0 ? undefined : `~/.m2 has no ${missing.join(', ')} ${VERSION}`;
}

/** All snippets with what was recorded of them. */
export function recordedOutcomes(): Outcome[] {
  return readdirSync(FIXTURES).flatMap((file) => {
    const { rows } = JSON.parse(readFileSync(join(FIXTURES, file), 'utf8')) as { rows: Outcome[] };
    return rows.map(outcomeOf);
  });
}

export function outcomeOf({ source, value, error, printed, variables }: Outcome): Outcome {
  return {
    source,
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
    ...(printed === undefined ? {} : { printed }),
    ...(variables === undefined ? {} : { variables }),
  };
}

/** Runs the snippets with the original, in one virtual machine. */
export function runOriginal(sources: readonly string[]): Outcome[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-groovy-'));
  try {
    const [given, taken] = [join(folder, 'snippets.json'), join(folder, 'outcomes.json')];
    writeFileSync(given, JSON.stringify(sources));
    const classpath = MODULES.map(jarOf).join(':');
    const { status, stderr } = spawnSync(
      'java',
      ['-cp', classpath, 'groovy.ui.GroovyMain', ORACLE, given, taken],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
    return (JSON.parse(readFileSync(taken, 'utf8')) as Outcome[]).map(outcomeOf);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
