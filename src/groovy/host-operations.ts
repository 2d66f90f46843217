import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledGroovy } from './compile-groovy.ts';
import { libraryNamed } from './groovy-library.ts';
import { GroovySyntaxError } from './groovy-syntax-error.ts';
import type { ScriptSource } from './script-source.ts';
import { templateSource } from './template-source.ts';

/** What crosses the border of the sandbox. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface GroovyHostOptions {
  readonly isTimeZone: (id: string) => boolean;
  /** The offset in milliseconds of an instant. */
  readonly getTimeZone: (id: string) => { offsetAt(instant: number): number };
  /** For texts that a script has compiled while it runs. @throws GroovySyntaxError */
  readonly compile: (script: ScriptSource) => CompiledGroovy;
}

const MOST_BYTES = 65_536;
const LONGEST_TEXT = 100_000;
const DIGESTS = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

/** Answers what the Groovy runtime asks for itself; the sandbox has no time zones, no hashes and no dice worth the name. */
export class GroovyHost {
  readonly #operations: Readonly<Record<string, (...args: Json[]) => Json>>;

  constructor({ isTimeZone, getTimeZone, compile }: GroovyHostOptions) {
    this.#operations = {
      'groovy.isZone': (id) => isTimeZone(String(id)),
      'groovy.defaultZone': () => Intl.DateTimeFormat().resolvedOptions().timeZone,
      'groovy.zone': (id, year) => offsetsOf(getTimeZone(String(id)), Number(year)),
      'groovy.library': (name) => libraryNamed(String(name)).map(({ name, source }) => ({ name, source })),
      'groovy.template': (text) => compileText('template', String(text), templateSource, compile),
      'groovy.config': (text) => compileText('config', String(text), (source) => source, compile),
      'groovy.random': (count) =>
        randomBytes(Math.min(Math.max(Number(count), 0), MOST_BYTES)).toString('base64'),
      'groovy.digest': (algorithm, bytes, encoding) =>
        digest(String(algorithm), String(bytes), encoding === 'hex' ? 'hex' : 'base64'),
    };
  }

  /** Whether the operation is the runtime's own; all others are the script's. */
  knows(operation: string): boolean {
    return operation === 'groovy.sleep' || Object.hasOwn(this.#operations, operation);
  }

  /** The arguments come from the sandbox. */
  async answer(operation: string, args: readonly Json[]): Promise<Json> {
    if (operation !== 'groovy.sleep') return this.#operations[operation]!(...args);
    // The run's own deadline ends a sleep that is too long.
    await sleep(Math.min(Math.max(Number(args[0]) || 0, 0), 2_147_483_647));
    return null;
  }
}

/** The text of a template or a configuration as a script; its mistakes are told to the script that gave it. */
function compileText(
  name: string,
  text: string,
  toSource: (text: string) => string,
  compile: GroovyHostOptions['compile'],
): Json {
  if (text.length > LONGEST_TEXT)
    return { problem: `A ${name} may have ${LONGEST_TEXT} characters; this one has ${text.length}` };
  try {
    const { javascript, libraries } = compile({ name, source: toSource(text) });
    return { javascript, parts: libraries.map(({ name, source }) => ({ name, source })) };
  } catch (error) {
    if (error instanceof GroovySyntaxError) return { problem: error.message };
    throw error;
  }
}

/** The offsets of a zone in a year: pairs of an instant and the offset from it on. */
function offsetsOf(zone: { offsetAt(instant: number): number }, year: number): Json {
  // Date.UTC takes the years up to 99 for those of the last century.
  const start = new Date(0).setUTCFullYear(year, 0, 1);
  const end = new Date(0).setUTCFullYear(year + 1, 0, 1);
  const changes: [number, number][] = [[start, zone.offsetAt(start)]];
  const step = 3 * 86_400_000;
  for (let at = start; at < end; at += step) {
    const next = Math.min(at + step, end);
    if (zone.offsetAt(at) === zone.offsetAt(next)) continue;
    let [low, high] = [at, next];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (zone.offsetAt(middle) === zone.offsetAt(at)) low = middle;
      else high = middle;
    }
    changes.push([high, zone.offsetAt(high)]);
  }
  return changes;
}

function digest(algorithm: string, bytes: string, encoding: 'hex' | 'base64'): string {
  const name = algorithm.toLowerCase().replace('-', '');
  if (!DIGESTS.has(name)) throw new RangeError(`There is no digest '${algorithm}'`);
  return createHash(name).update(Buffer.from(bytes, 'base64')).digest(encoding);
}
