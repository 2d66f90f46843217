import { newAnonymous } from './anonymous-class.ts';
import { asType, cast, isInstance, toArray } from './casting.ts';
import { Closure, missingMethod, parameterTypes } from './closure.ts';
import { castTo, isCase, isIn, isNotIn } from './conversion-operators.ts';
import { create, superConstructor, thisConstructor } from './create-object.ts';
import { decimal } from './decimal.ts';
import { defineClass, defineMethod, newClass } from './define-class.ts';
import { memoized } from './delegation.ts';
import { call, callBare, callSafe, callValue, callWith } from './dispatch.ts';
import { emptyValue } from './empty-value.ts';
import { compare, equal } from './equality.ts';
import { assertionFailed, caught, thrown } from './failure.ts';
import { index, indexSafe, itemOf, setIndex, updateIndex } from './index-access.ts';
import { iterate, spread, spreadEntries } from './iterate.ts';
import { arrayType, classNamed, elementOf, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { MapOfLiteral } from './json-map.ts';
import { pointer } from './method-pointer.ts';
import { find, matches } from './methods/regex-methods.ts';
import { callName, name, setName } from './names.ts';
import * as operators from './operators.ts';
import { withDefaults } from './parameter-defaults.ts';
import { preparePattern } from './pattern.ts';
import { callEach, field, property, propertyEach, propertySafe, setField, setProperty } from './property.ts';
import { outerOf } from './script-class.ts';
import { superCall, superProperty } from './super-call.ts';
import { partText, stringOf, toText } from './text.ts';
import { exception } from './throwable.ts';
import { truth } from './truth.ts';
import { BigInteger, Double, Float, GString } from './values.ts';
import './core-library.ts';

/** `[k1, v1, k2, v2, …]` as a map. */
function map(parts: readonly unknown[]): JavaMap {
  const result = new JavaMap();
  for (let at = 0; at < parts.length; at += 2) result.put(parts[at], parts[at + 1]);
  return result;
}

const INT = classNamed('int');

function toInt(value: unknown): number {
  return typeof value === 'number' ? value : (cast(value, INT) as number);
}

/** An argument of a method that has only one form. */
function argument(value: unknown, type: JavaClass, method: string): unknown {
  const fitting = parameterTypes.fit(value, type);
  if (fitting === undefined) throw missingMethod('Script1', method, [value]);
  return fitting.value;
}

/** At the end of a `try` with resources; `failure` holds what its body threw. */
function close(resource: unknown, failure: readonly [unknown] | undefined): void {
  if (resource === null || resource === undefined) return;
  try {
    call(resource, 'close', []);
  } catch (error) {
    if (failure === undefined) throw error;
    caught(failure[0]).suppressed.push(caught(error));
  }
}

function newArray(type: JavaClass, sizes: readonly unknown[]): unknown[] {
  const [size, ...others] = sizes;
  const element = elementOf(type);
  if (toInt(size) < 0) throw exception('java.lang.NegativeArraySizeException', String(size));
  const items = Array.from({ length: toInt(size) }, () =>
    others.length > 0 ? newArray(element, others) : emptyValue(element),
  );
  return toArray(items, type);
}

function setPropertySafe(receiver: unknown, key: string, value: unknown): unknown {
  return receiver === null ? null : setProperty(receiver, key, value);
}

function updateProperty(receiver: unknown, key: string, compute: (old: unknown) => unknown): unknown {
  return setProperty(receiver, key, compute(property(receiver, key)));
}

function updateField(receiver: unknown, key: string, compute: (old: unknown) => unknown): unknown {
  return setField(receiver, key, compute(field(receiver, key)));
}

/** Everything that generated code calls. */
export const operations = Object.freeze({
  ...operators,
  Closure,
  GString,
  JavaMap,
  MapOfLiteral,
  argument,
  arrayType,
  asType,
  assertionFailed,
  call,
  callBare,
  callEach,
  callName,
  callSafe,
  callValue,
  callWith,
  cast,
  castTo,
  caught,
  close,
  compare,
  create,
  decimal,
  defineClass,
  defineMethod,
  double: (value: number) => new Double(value),
  equal,
  field,
  find,
  float: (value: number) => new Float(value),
  index,
  indexSafe,
  integer: (value: bigint) => new BigInteger(value),
  isCase,
  isIn,
  isInstance,
  isNotIn,
  itemOf,
  iterate,
  map,
  matches,
  memoized,
  name,
  newAnonymous,
  newArray,
  newClass,
  outerOf,
  partText,
  pointer,
  preparePattern,
  property,
  propertyEach,
  propertySafe,
  setField,
  setIndex,
  setName,
  setProperty,
  setPropertySafe,
  spread,
  spreadEntries,
  stringOf,
  superCall,
  superConstructor,
  superProperty,
  thisConstructor,
  thrown,
  toInt,
  toText,
  truth,
  type: classNamed,
  updateField,
  updateIndex,
  updateProperty,
  withDefaults,
});
