import { ContextMap, type HostContext } from './context.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import { randomUuid } from './statics/uuid.ts';
import { toText } from './text.ts';
import { illegalArgument } from './throwable.ts';

/** A chain of one link, as scripts make one to call resources with. */
function rootContext(id: string): ContextMap {
  const host: HostContext = {
    name: 'root',
    id,
    parent: null,
    containsContext: (name) => name === 'root',
    getContext: (name) => {
      if (name === 'root') return host;
      throw illegalArgument(`No context of named ${name} found.`);
    },
  };
  return new ContextMap(host);
}

defineMethods('org.forgerock.services.context.RootContext', 'java.lang.Object', {});
defineStatics('org.forgerock.services.context.RootContext', {
  'new/0-1': (id?: unknown) => rootContext(id === undefined ? toText(randomUuid()) : toText(id)),
});
