import { call } from '../dispatch.ts';
import { compare } from '../equality.ts';
import type { JavaClass } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import { ScriptClass } from '../script-class.ts';
import { EnumConstant } from '../values.ts';
import './text-methods.ts';

defineMethods('java.lang.Enum', 'java.lang.Object', {
  'name/0': (self: unknown) => enumName(self),
  'getName/0': (self: unknown) => enumName(self),
  'ordinal/0': (self: unknown) => (self instanceof EnumConstant ? self.ordinal : enumField(self, '$ordinal')),
  'compareTo/1': compare,
  'getDeclaringClass/0': (self: EnumConstant) => self.type,
  'isCase/1': (self: unknown, value: unknown) => self === value,
  'next/0': (self: unknown) => neighbour(self, 1),
  'previous/0': (self: unknown) => neighbour(self, -1),
});

function enumName(self: unknown): unknown {
  return self instanceof EnumConstant ? self.name : enumField(self, '$name');
}

function enumField(self: unknown, name: string): unknown {
  return (self as { fields: Record<string, unknown> }).fields[name];
}

function neighbour(self: unknown, by: number): unknown {
  const type = (self as { type: JavaClass }).type;
  const home = type instanceof ScriptClass && type.constants.length === 0 ? type.parent! : type;
  const all = call(home, 'values', []) as unknown[];
  return all[(all.indexOf(self) + by + all.length) % all.length];
}
