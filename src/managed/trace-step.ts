import type { Trace, Traced } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import {
  cloneJson,
  equalJson,
  formatPointer,
  isObject,
  type JsonObject,
  type JsonValue,
} from '#json/index.ts';
import { type Exchange, objectPath } from './exchange.ts';
import { HOOK_NAMES } from './hook.ts';

const MOST_POINTERS = 100;

/** Runs steps of an exchange so that a rehearsal can tell what each of them did. */
export function stepTracer(
  exchange: Exchange,
  trace: Trace,
): (step: { readonly name: string }, work: () => Promise<void> | void) => Promise<void> {
  const known = new Map(Object.entries(cloneJson(exchange.object)));
  return (step, work) =>
    trace.step(work, (error) => {
      const changed = changedSince(known, exchange.object)
        // Their names are nobody's business either.
        .filter((name) => !exchange.type.privates.has(name))
        .slice(0, MOST_POINTERS);
      return {
        step: step.name,
        resource: objectPath(exchange),
        ...scriptOf(exchange, step.name),
        ...lineOf(error),
        ...(changed.length === 0 ? {} : changesOf(exchange, changed, known)),
      };
    });
}

function changesOf(
  { type }: Exchange,
  names: readonly string[],
  known: ReadonlyMap<string, JsonValue>,
): Pick<Traced, 'changed' | 'values'> {
  const sealed = new Set(type.secrets.map(({ name }) => name));
  const shown = names.filter((name) => !sealed.has(name));
  return {
    changed: names.map((name) => formatPointer([name])),
    values: Object.fromEntries(shown.map((name) => [formatPointer([name]), known.get(name) ?? null])),
  };
}

/** Members that are not as they are known, which they are from now on. */
function changedSince(known: Map<string, JsonValue>, object: JsonObject): string[] {
  const names = new Set([...known.keys(), ...Object.keys(object)]);
  const changed: string[] = [];
  for (const name of names) {
    const now = object[name];
    const before = known.get(name);
    if (now === before || (now !== undefined && before !== undefined && equalJson(now, before))) continue;
    changed.push(name);
    if (now === undefined) known.delete(name);
    else known.set(name, cloneJson(now));
  }
  return changed;
}

function scriptOf({ type }: Exchange, name: string): Partial<Traced> {
  const hook = HOOK_NAMES.find((each) => each === name);
  const reference = hook === undefined ? undefined : type.hooks[hook];
  if (reference === undefined) return {};
  return { hook: name, script: reference.file ?? reference.name ?? `${type.name} ${name}` };
}

function lineOf(error: unknown): Partial<Traced> {
  const detail = error instanceof ResourceError ? error.detail : undefined;
  return isObject(detail) && typeof detail['line'] === 'number' ? { line: detail['line'] } : {};
}
