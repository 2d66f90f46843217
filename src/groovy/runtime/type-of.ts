import { naming } from './closure.ts';
import { arrayType, classNamed, type JavaClass } from './java-class.ts';
import { isJavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import type { JsonMap } from './json-map.ts';
import { isListView } from './list-view.ts';
import { Range } from './range.ts';
import { ScriptObject, typing } from './script-class.ts';
import { Throwable } from './throwable.ts';
import { VALUE_CLASSES } from './value-classes.ts';
import { EnumConstant, JavaObject, LIST_KIND, type List, StringBuilder } from './values.ts';

const INTEGER = classNamed('java.lang.Integer');
const LONG = classNamed('java.lang.Long');
const STRING = classNamed('java.lang.String');
const BOOLEAN = classNamed('java.lang.Boolean');
const ARRAY_LIST = classNamed('java.util.ArrayList');
const MAPS = {
  LinkedHashMap: classNamed('java.util.LinkedHashMap'),
  HashMap: classNamed('java.util.HashMap'),
  TreeMap: classNamed('java.util.TreeMap'),
  Hashtable: classNamed('java.util.Hashtable'),
  ConcurrentHashMap: classNamed('java.util.concurrent.ConcurrentHashMap'),
  Properties: classNamed('java.util.Properties'),
  EnumMap: classNamed('java.util.EnumMap'),
  IdentityHashMap: classNamed('java.util.IdentityHashMap'),
  ConfigObject: classNamed('groovy.util.ConfigObject'),
  UnmodifiableMap: classNamed('java.util.Collections$UnmodifiableMap'),
};
const SETS = {
  LinkedHashSet: classNamed('java.util.LinkedHashSet'),
  HashSet: classNamed('java.util.HashSet'),
  TreeSet: classNamed('java.util.TreeSet'),
  RegularEnumSet: classNamed('java.util.RegularEnumSet'),
  UnmodifiableSet: classNamed('java.util.Collections$UnmodifiableSet'),
};
/** On the prototypes of classes whose objects all are of one Java class. */
const FIXED_TYPE = 'javaType$';
for (const { make, javaName } of VALUE_CLASSES)
  Object.defineProperty(make.prototype, FIXED_TYPE, { value: classNamed(javaName) });
const OBJECT = classNamed('java.lang.Object');
const INT_RANGE = classNamed('groovy.lang.IntRange');
const OBJECT_RANGE = classNamed('groovy.lang.ObjectRange');
const BUILDER = classNamed('java.lang.StringBuilder');
const BUFFER = classNamed('java.lang.StringBuffer');

/** The class of a value; null has none. */
export function typeOf(value: unknown): JavaClass | null {
  switch (typeof value) {
    case 'number':
      return INTEGER;
    case 'string':
      return STRING;
    case 'boolean':
      return BOOLEAN;
    case 'bigint':
      return LONG;
    case 'object':
      return value === null ? null : typeOfObject(value);
    default:
      return null;
  }
}

/** The class of a value that is not null. */
export function requireType(value: unknown): JavaClass {
  const type = typeOf(value);
  if (type === null) throw new TypeError('null has no class');
  return type;
}

function typeOfObject(value: object): JavaClass {
  if (Array.isArray(value)) return typeOfList(value);
  const { json }: Partial<JsonMap> = value;
  if (json !== undefined) return MAPS.LinkedHashMap;
  if (isJavaMap(value)) return MAPS[value.kind];
  const { [FIXED_TYPE]: fixed }: { [FIXED_TYPE]?: JavaClass } = value;
  if (fixed !== undefined) return fixed;
  if (value instanceof ScriptObject || value instanceof Throwable || value instanceof JavaObject)
    return value.type;
  if (value instanceof EnumConstant) return value.type;
  if (value instanceof JavaSet) return SETS[value.kind];
  if (value instanceof Range) return value.isInt ? INT_RANGE : OBJECT_RANGE;
  if (value instanceof StringBuilder) return value.isBuffer ? BUFFER : BUILDER;
  if (isListView(value)) return ARRAY_LIST;
  return OBJECT;
}

function typeOfList(list: List): JavaClass {
  const kind = list[LIST_KIND];
  if (kind === undefined) return ARRAY_LIST;
  return kind.element === undefined
    ? classNamed(`${kind.home ?? 'java.util'}.${kind.name}`)
    : arrayType(kind.element);
}

/** What `getClass` says: an object that was changed alone is still of its class. */
export function classOf(value: unknown): JavaClass | null {
  const type = typeOf(value);
  return type?.isSingle ? type.parent : type;
}

/** Groovy's name of a class in messages. */
export function classNameOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return requireType(value).name;
}

typing.typeOf = typeOf;
naming.className = classNameOf;
