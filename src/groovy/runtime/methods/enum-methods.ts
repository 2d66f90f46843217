import { call } from '../dispatch.ts';
import { compare } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { defineMethods } from '../method-table.ts';
import { ScriptClass, type ScriptObject } from '../script-class.ts';
import { EnumConstant } from '../values.ts';
import './text-methods.ts';

defineMethods('java.lang.Enum', 'java.lang.Object', {
  'name/0': enumName,
  'getName/0': enumName,
  'ordinal/0': (self: Constant) => (self instanceof EnumConstant ? self.ordinal : self.fields['$ordinal']),
  'compareTo/1': compare,
  'getDeclaringClass/0': (self: EnumConstant) => self.type,
  'isCase/1': (self: unknown, value: unknown) => self === value,
  'next/0': (self: Constant) => neighbour(self, 1),
  'previous/0': (self: Constant) => neighbour(self, -1),
});

/** A constant of an enum of ours, or of one that a script declares. */
type Constant = EnumConstant | ScriptObject;

function enumName(self: Constant): unknown {
  return self instanceof EnumConstant ? self.name : self.fields['$name'];
}

function neighbour(self: Constant, by: number): unknown {
  const { type } = self;
  const home = type instanceof ScriptClass && type.constants.length === 0 ? type.parent! : type;
  const all = listOf(call(home, 'values', []));
  return all[(all.indexOf(self) + by + all.length) % all.length];
}
