import { defineMethods } from '../method-table.ts';
import type { Binding, Script } from '../script.ts';
import { toText } from '../text.ts';
import { exception } from '../throwable.ts';
import './text-methods.ts';

defineMethods('groovy.lang.Script', 'java.lang.Object', {
  'getBinding/0': (self: Script) => self.binding,
  'run/0': () => {
    throw exception('java.lang.UnsupportedOperationException', 'A script cannot run itself');
  },
  'evaluate/1': () => {
    throw exception('java.lang.SecurityException', 'Scripts cannot compile other scripts');
  },
});

defineMethods('groovy.lang.Binding', 'java.lang.Object', {
  'getVariable/1': (self: Binding, name: unknown) => {
    const value = self.get(toText(name));
    if (value === undefined) {
      throw exception(
        'groovy.lang.MissingPropertyException',
        `No such property: ${toText(name)} for class: groovy.lang.Binding`,
      );
    }
    return value;
  },
  'setVariable/2': (self: Binding, name: unknown, value: unknown) => {
    self.set(toText(name), value);
    return null;
  },
  'hasVariable/1': (self: Binding, name: unknown) => self.has(toText(name)),
  'removeVariable/1': (self: Binding, name: unknown) => self.all().remove(toText(name)),
  'getVariables/0': (self: Binding) => self.all(),
});
