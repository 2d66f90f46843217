import { missingProperty } from './closure.ts';
import { callAccessor, missing, run } from './dispatch.ts';
import { identityOf } from './hash-key.ts';
import { ScriptClass, type ScriptMethod, type ScriptObject, selectMethod } from './script-class.ts';
import { Throwable } from './throwable.ts';

/** `super.name(args)` in a class. */
export function superCall(type: ScriptClass, self: ScriptObject, name: string, args: unknown[]): unknown {
  const above = [type.parent, ...type.interfaces];
  for (const parent of above) {
    if (!(parent instanceof ScriptClass)) continue;
    const methods: ScriptMethod[] = parent.findMethods(name);
    const selected = selectMethod(methods, args);
    if (selected !== undefined) return selected.method.run(self, ...selected.args);
    const accessor = callAccessor(self, parent, name, args);
    if (accessor !== undefined) return accessor.value;
  }
  const own = superDefault(self, name, args);
  if (own !== undefined) return own;
  const method = type.methods[name];
  if (method !== undefined && args.length >= method.least && args.length <= method.most)
    return run(method, self, name, args);
  throw missing(self, name, args);
}

/** What every object has before its class says something else. */
function superDefault(self: ScriptObject, name: string, args: unknown[]): unknown {
  switch (name) {
    case 'toString':
      return self instanceof Throwable
        ? plainThrowableText(self)
        : `${self.type.name}@${identityOf(self).toString(16)}`;
    case 'getMessage':
      return self instanceof Throwable ? self.detailMessage : undefined;
    case 'equals':
      return self === args[0];
    case 'hashCode':
      return identityOf(self);
    default:
      return undefined;
  }
}

function plainThrowableText(self: Throwable): string {
  return self.detailMessage === null ? self.type.name : `${self.type.name}: ${self.detailMessage}`;
}

/** `super.name` in a class. */
export function superProperty(type: ScriptClass, self: ScriptObject, name: string): unknown {
  const { parent } = type;
  if (parent instanceof ScriptClass) {
    const [getter] = parent.findMethods(`get${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    if (getter !== undefined) return getter.run(self);
  }
  if (name in self.fields) return self.fields[name];
  if (name === 'message' && self instanceof Throwable) return self.detailMessage;
  throw missingProperty(name, type.name);
}
