import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { getTimeZone, isTimeZone } from '#time/index.ts';
import { compileGroovy } from './compile-groovy.ts';
import { libraryNamed } from './groovy-library.ts';
import { GroovySyntaxError } from './groovy-syntax-error.ts';
import { templateSource } from './template-source.ts';

/** What the Groovy runtime asks for itself; the sandbox has no time zones, no hashes and no dice worth the name. */
const OPERATIONS: Readonly<Record<string, (...args: JsonValue[]) => JsonValue>> = {
  'groovy.isZone': (id) => isTimeZone(String(id)),
  'groovy.defaultZone': () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  'groovy.zone': (id, year) => offsetsOf(String(id), Number(year)),
  'groovy.library': (name) => libraryNamed(String(name)).map(({ name, source }) => ({ name, source })),
  'groovy.template': (text) => compileText('template', String(text), templateSource),
  'groovy.config': (text) => compileText('config', String(text), (source) => source),
  'groovy.random': (count) =>
    randomBytes(Math.min(Math.max(Number(count), 0), MOST_BYTES)).toString('base64'),
  'groovy.digest': (algorithm, bytes, encoding) =>
    digest(String(algorithm), String(bytes), encoding === 'hex' ? 'hex' : 'base64'),
};
const MOST_BYTES = 65_536;
const LONGEST_TEXT = 100_000;
const DIGESTS = new Set(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']);

export function isGroovyOperation(operation: string): boolean {
  return operation === 'groovy.sleep' || Object.hasOwn(OPERATIONS, operation);
}

/** Answers an operation of the Groovy runtime. The arguments come from the sandbox. */
export async function answerGroovy(operation: string, args: readonly JsonValue[]): Promise<JsonValue> {
  if (operation !== 'groovy.sleep') return answerSync(operation, args);
  // The run's own deadline ends a sleep that is too long.
  await sleep(Math.min(Math.max(Number(args[0]) || 0, 0), 2_147_483_647));
  return null;
}

function answerSync(operation: string, args: readonly JsonValue[]): JsonValue {
  return OPERATIONS[operation]!(...args);
}

/** The text of a template or a configuration as a script; its mistakes are told to the script that gave it. */
function compileText(name: string, text: string, toSource: (text: string) => string): JsonValue {
  if (text.length > LONGEST_TEXT)
    return { problem: `A ${name} may have ${LONGEST_TEXT} characters; this one has ${text.length}` };
  try {
    const { javascript, libraries } = compileGroovy({ name, source: toSource(text) });
    return { javascript, parts: libraries.map(({ name, source }) => ({ name, source })) };
  } catch (error) {
    if (error instanceof GroovySyntaxError) return { problem: error.message };
    throw error;
  }
}

/** The offsets of a zone in a year: pairs of an instant and the offset from it on. */
function offsetsOf(id: string, year: number): JsonValue {
  const zone = getTimeZone(id);
  const start = Date.UTC(year, 0, 1);
  const end = Date.UTC(year + 1, 0, 1);
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
  if (!DIGESTS.has(name)) throw new BadRequestError(`There is no digest '${algorithm}'`);
  return createHash(name).update(Buffer.from(bytes, 'base64')).digest(encoding);
}
