import { capitalize } from './capitalize.ts';
import {
  Closure,
  DELEGATE_FIRST,
  DELEGATE_ONLY,
  missingMethod,
  missingProperty,
  naming,
  OWNER_ONLY,
  TO_SELF,
} from './closure.ts';
import { call, callValue, responds } from './dispatch.ts';
import { dispatcher, outside } from './dispatch-port.ts';
import { JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { Script } from './script.ts';
import { ScriptClass, scriptClassOf, surroundings } from './script-class.ts';
import { Throwable } from './throwable.ts';
import { requireType } from './type-of.ts';

/** A name without a receiver that no declaration gives a meaning. */
export function name(owner: unknown, text: string): unknown {
  if (owner instanceof Script) {
    const entry = owner.binding.variables.pairs.get(text);
    if (entry !== undefined) return entry.value;
  } else {
    const known = variableAround(owner, text);
    if (known !== undefined) return known;
  }
  const value = owner instanceof Closure ? nameInClosure(owner, text) : nameInHolder(owner, text);
  if (value !== undefined) return value;
  throw missingProperty(text, classNameForMessages(owner));
}

const OF_CLOSURES = new Set(['owner', 'delegate', 'thisObject', 'resolveStrategy']);

/** A variable of the script, where nothing but closures that nobody gave another delegate stands between. */
function variableAround(owner: unknown, text: string): unknown {
  let holder = owner;
  while (holder instanceof Closure && holder.delegate === holder.owner && holder.strategy <= DELEGATE_FIRST) {
    holder = holder.owner;
  }
  if (!(holder instanceof Script) || OF_CLOSURES.has(text)) return undefined;
  return holder.binding.variables.pairs.get(text)?.value;
}

function classNameForMessages(owner: unknown): string {
  let holder = owner;
  while (holder instanceof Closure) holder = holder.owner;
  return holder instanceof JavaClass ? holder.name : naming.className(holder);
}

/** Undefined when nobody around the closure knows it. */
export function nameInClosure(closure: Closure, text: string): unknown {
  const own = closureMember(closure, text);
  if (own !== undefined) return own;
  for (const holder of holders(closure)) {
    const value = holder instanceof Closure ? nameInClosure(holder, text) : nameInHolder(holder, text);
    if (value !== undefined) return value;
  }
  return undefined;
}

function closureMember(closure: Closure, text: string): unknown {
  switch (text) {
    case 'owner':
      return closure.owner;
    case 'delegate':
      return closure.delegate;
    case 'thisObject':
      return closure.self;
    case 'resolveStrategy':
      return closure.strategy;
    default:
      return undefined;
  }
}

/** Where a closure looks for what it does not know, in order. */
function holders({ owner, delegate, strategy }: Closure): unknown[] {
  switch (strategy) {
    case DELEGATE_FIRST:
      return delegate === owner ? [owner] : [delegate, owner];
    case DELEGATE_ONLY:
      return [delegate];
    case OWNER_ONLY:
      return [owner];
    case TO_SELF:
      return [];
    default:
      return delegate === owner ? [owner] : [owner, delegate];
  }
}

function nameInHolder(holder: unknown, text: string): unknown {
  if (holder === null || holder === undefined) return undefined;
  if (holder instanceof Script) {
    const value = holder.binding.get(text);
    if (value !== undefined) return value;
    return text === 'binding' ? holder.binding : undefined;
  }
  // A map as delegate has every property, so it is the last that is asked.
  if (holder instanceof JavaMap) return holder.get(text);
  try {
    return dispatcher.property(holder, text);
  } catch (error) {
    if (isMissingProperty(error, text)) return undefined;
    throw error;
  }
}

function isMissingProperty(error: unknown, text: string): boolean {
  if (!(error instanceof Throwable) || error.type.name !== 'groovy.lang.MissingPropertyException')
    return false;
  return error.fields['property'] === text;
}

export function setName(owner: unknown, text: string, value: unknown): unknown {
  if (owner instanceof Closure) {
    if (!setNameInClosure(owner, text, value)) throw missingProperty(text, classNameForMessages(owner));
  } else dispatcher.setProperty(owner, text, value);
  return value;
}

/** False when nobody around takes it. A script takes everything. */
export function setNameInClosure(closure: Closure, text: string, value: unknown): boolean {
  if (text === 'delegate') closure.delegate = value;
  else if (text === 'resolveStrategy') closure.strategy = value as number;
  else {
    for (const holder of holders(closure)) {
      if (holder instanceof Closure) {
        if (setNameInClosure(holder, text, value)) return true;
      } else if (takesName(holder, text)) {
        dispatcher.setProperty(holder, text, value);
        return true;
      }
    }
    return false;
  }
  return true;
}

function takesName(holder: unknown, text: string): boolean {
  if (holder === null) return false;
  if (holder instanceof Script || holder instanceof JavaMap) return true;
  const type = scriptClassOf(holder);
  if (type !== undefined) {
    return type.findField(text) !== undefined || type.findMethods(`set${capitalize(text)}`).length > 0;
  }
  if (holder instanceof ScriptClass && holder.staticHome(text) !== undefined) return true;
  const { methods } = requireType(holder);
  return `set${capitalize(text)}` in methods || methods['propertyMissing']?.most === 2;
}

/** `name(args)` without a receiver. */
export function callName(owner: unknown, text: string, args: unknown[]): unknown {
  const found = owner instanceof Closure ? callInClosure(owner, text, args) : callInHolder(owner, text, args);
  if (found !== undefined) return found.value;
  if (outside.loads(text)) return callName(owner, text, args);
  let holder = owner;
  while (holder instanceof Closure) holder = holder.owner;
  // Says what is missing, in the words of whoever is around.
  return holder instanceof Script || holder === null
    ? failMissing(holder, text, args)
    : call(holder, text, args);
}

function failMissing(holder: unknown, text: string, args: unknown[]): never {
  throw missingMethod(naming.className(holder), text, args);
}

const OWN_METHODS = new Set(
  'any collect each eachWithIndex equals every find findAll findIndexOf findResult getClass grep hashCode inject toString'.split(
    ' ',
  ),
);

function callInClosure(closure: Closure, text: string, args: unknown[]): { value: unknown } | undefined {
  if ((text === 'call' || text === 'doCall') && closure.methodName === undefined)
    return { value: closure.call(args) };
  // What every object has, the closure has itself: `find()` in a closure is not that of its delegate.
  if (OWN_METHODS.has(text) && responds(closure, text, args.length)) {
    return { value: call(closure, text, args) };
  }
  for (const holder of holders(closure)) {
    const found =
      holder instanceof Closure ? callInClosure(holder, text, args) : callInHolder(holder, text, args);
    if (found !== undefined) return found;
  }
  if (closure.strategy !== TO_SELF && !(text in requireType(closure).methods)) return undefined;
  return responds(closure, text, args.length) ? { value: call(closure, text, args) } : undefined;
}

function callInHolder(holder: unknown, text: string, args: unknown[]): { value: unknown } | undefined {
  if (holder === null || holder === undefined) return undefined;
  if (holder instanceof Script) {
    if (holder.methods.has(text) || responds(holder, text, args.length))
      return { value: call(holder, text, args) };
    const value = holder.binding.get(text);
    return value === undefined ? undefined : { value: callValue(value, args) };
  }
  if (responds(holder, text, args.length)) return { value: call(holder, text, args) };
  const type = holder instanceof ScriptClass ? holder : scriptClassOf(holder);
  if (type !== undefined) return callInClass(holder, type, text, args);
  if (holder instanceof JavaMap) return undefined;
  const value = nameInHolder(holder, text);
  return value instanceof Closure ? { value: value.call(args) } : undefined;
}

function callInClass(
  holder: unknown,
  type: ScriptClass,
  text: string,
  args: unknown[],
): { value: unknown } | undefined {
  const hasMethod = [text, 'methodMissing', 'invokeMethod'].some((name) => type.findMethods(name).length > 0);
  if (hasMethod) return { value: call(holder, text, args) };
  const value = nameInHolder(holder, text);
  if (value !== undefined) return { value: callValue(value, args) };
  if (type.outer !== null) {
    return type.outer instanceof Closure
      ? callInClosure(type.outer, text, args)
      : callInHolder(type.outer, text, args);
  }
  if (scriptClassOf(holder) === undefined) return undefined;
  for (const around of surroundings(holder as object)) {
    const found = callInHolder(around, text, args);
    if (found !== undefined) return found;
  }
  return undefined;
}
