import { int } from './arguments.ts';
import { isInstance } from './casting.ts';
import { type Closure, call1 } from './closure.ts';
import { call } from './dispatch.ts';
import type { JavaClass } from './java-class.ts';
import { defineMethods } from './method-table.ts';
import { javaText, throwableText, toText } from './text.ts';
import { truth } from './truth.ts';
import type { StringBuilder } from './values.ts';
import './methods/list-methods.ts';
import './methods/number-methods.ts';
import './methods/text-methods.ts';

/*
 * Values of these classes come to be without anybody naming the class, so who adds methods to one of them is loaded
 * for the names of the methods. Here stand those that no script has to name.
 */

defineMethods('java.lang.Throwable', 'java.lang.Object', { 'toString/0': throwableText });
defineMethods('groovy.lang.Script', 'java.lang.Object', {});
defineMethods('groovy.lang.Binding', 'java.lang.Object', {});
defineMethods('groovy.lang.Range', 'java.util.List', {});
// Its other parents are no lists, but an ArrayDeque is one here.
defineMethods('java.util.ArrayDeque', 'java.util.List', {});
defineMethods('java.math.BigDecimal', 'java.lang.Number', {});
defineMethods('java.math.BigInteger', 'java.lang.Number', {});
defineMethods('groovy.lang.Closure', 'java.lang.Object', {
  'call/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'isCase/1': (self: Closure, value: unknown) => truth(call1(self, value)),
});
defineMethods('java.lang.Class', 'java.lang.Object', {
  'isCase/1': (self: JavaClass, value: unknown) => isInstance(value, self),
  'call/0+': (self: JavaClass, ...args: unknown[]) => call(self, 'new', args),
  'iterator/0': (self: JavaClass) => call(call(self, 'values', []), 'iterator', []),
  'next/0': (self: JavaClass) => self,
});
defineMethods('java.lang.AbstractStringBuilder', 'java.lang.CharSequence', {
  'leftShift/1': (self: StringBuilder, value: unknown) => {
    self.text += javaText(value);
    return self;
  },
  'putAt/2': (self: StringBuilder, at: unknown, value: unknown) => {
    const position = int(at);
    self.text = self.text.slice(0, position) + toText(value) + self.text.slice(position + 1);
    return null;
  },
  'toString/0': (self: StringBuilder) => self.text,
});
