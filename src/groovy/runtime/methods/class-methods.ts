import { cast, isInstance } from '../casting.ts';
import { call } from '../dispatch.ts';
import type { JavaClass } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import './text-methods.ts';

function typeName(self: JavaClass): string {
  return self.element === null ? self.name : `${typeName(self.element)}[]`;
}

function canonicalName(self: JavaClass): string {
  return typeName(self).replaceAll('$', '.');
}

defineMethods('java.lang.Class', 'java.lang.Object', {
  'getName/0': (self: JavaClass) => self.name,
  'getCanonicalName/0': canonicalName,
  'getTypeName/0': typeName,
  'getSimpleName/0': (self: JavaClass) => self.simpleName,
  'getPackageName/0': (self: JavaClass) => self.name.slice(0, Math.max(0, self.name.lastIndexOf('.'))),
  'getSuperclass/0': (self: JavaClass) => self.parent,
  'getInterfaces/0': (self: JavaClass) => self.interfaces,
  'isInstance/1': (self: JavaClass, value: unknown) => isInstance(value, self),
  'isAssignableFrom/1': (self: JavaClass, other: JavaClass) => other.isSubclassOf(self),
  'isInterface/0': (self: JavaClass) => self.form === 'interface',
  'isArray/0': (self: JavaClass) => self.form === 'array',
  'isEnum/0': (self: JavaClass) => self.form === 'enum',
  'isPrimitive/0': (self: JavaClass) => self.form === 'primitive',
  'getComponentType/0': (self: JavaClass) => self.element,
  'getEnumConstants/0': (self: JavaClass) => call(self, 'values', []),
  'newInstance/0+': (self: JavaClass, ...args: unknown[]) => call(self, 'new', args),
  'cast/1': (self: JavaClass, value: unknown) => cast(value, self),
});
