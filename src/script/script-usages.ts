import { posix } from 'node:path';
import { formatPointer, isObject, type JsonValue, TextLines } from '#json/index.ts';
import { parseScript, requiredModules, ScriptSyntaxError } from './javascript/index.ts';

/** A place that a script is used at. */
export interface ScriptUsage {
  readonly kind: 'configuration' | 'schedule' | 'script' | 'access';
  /** Id of the configuration or the schedule, path of the script. */
  readonly id: string;
  /** JSON pointer into a configuration or a schedule. */
  readonly field?: string;
  readonly line?: number;
}

/** Where a JSON value names one of these paths, in a text of its own or in a script that is written out in it. */
export function usagesIn(json: JsonValue, names: ReadonlySet<string>): { readonly field: string }[] {
  const found: { field: string }[] = [];
  visit(json, []);
  return found;

  function visit(value: JsonValue, path: readonly string[]): void {
    if (typeof value === 'string') {
      const isSource = path.at(-1) === 'source' && value.includes('require');
      const isUsed = isSource ? requiredLines(value, '', names).length > 0 : names.has(value);
      // `name` is what all kinds of things have; only that of a file is that of a script.
      if (isUsed && (path.at(-1) !== 'name' || /\.(?:js|groovy)$/.test(value))) {
        found.push({ field: formatPointer(path) });
      }
    } else if (Array.isArray(value)) {
      for (const [index, member] of value.entries()) visit(member, [...path, String(index)]);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    }
  }
}

/**
 * The lines on which a script in JavaScript requires one of these paths.
 *
 * @param path its own, which others may be relative to
 */
export function requiredLines(source: string, path: string, names: ReadonlySet<string>): number[] {
  if (!source.includes('require')) return [];
  const lines = new TextLines(source);
  try {
    return requiredModules(parseScript({ name: path, source }).program)
      .filter(({ name }) => names.has(moduleOf(name, path)))
      .map(({ offset }) => lines.positionAt(offset).line);
  } catch (error) {
    // What does not compile uses nothing.
    if (error instanceof ScriptSyntaxError || error instanceof RangeError) return [];
    throw error;
  }
}

function moduleOf(name: string, path: string): string {
  return /^\.\.?\//.test(name) ? posix.join(posix.dirname(path), name) : name;
}
