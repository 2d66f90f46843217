import { cloneJson, isObject, type JsonObject } from '#json/index.ts';
import { requestView } from '#script/index.ts';
import { type Exchange, objectPath, withIdentity, withoutIdentity } from '../exchange.ts';
import type { HookName } from '../managed-type.ts';
import type { Step } from '../pipeline.ts';

/** Hooks whose changes to `object` go on. */
const KEEPS_CHANGES: ReadonlySet<HookName> = new Set([
  'onCreate',
  'onUpdate',
  'onValidate',
  'onStore',
  'onRetrieve',
  'onRead',
]);

/** Runs a hook of the type. What it throws ends the request and rolls everything back. */
export function runHook(hook: HookName): Step {
  const step = async (exchange: Exchange) => {
    const reference = exchange.type.hooks[hook]!;
    const { bindings } = await exchange.platform.scripts.evaluate(exchange.context, {
      reference,
      label: `${exchange.type.name} ${hook}`,
      bindings: bindingsOf(exchange, hook),
      returnBindings: KEEPS_CHANGES.has(hook) ? ['object'] : [],
    });
    const object = bindings['object'];
    if (KEEPS_CHANGES.has(hook) && isObject(object)) exchange.object = withoutIdentity(object);
  };
  Object.defineProperty(step, 'name', { value: hook });
  return Object.assign(step, {
    applies: ({ type }: Exchange) => type.hooks[hook] !== undefined,
  });
}

function bindingsOf(exchange: Exchange, hook: HookName): JsonObject {
  const { id, rev, object, stored, request } = exchange;
  const old = stored === null ? null : withIdentity(id, stored.rev, stored.data);
  const current = withIdentity(id, rev, object);
  return {
    request: requestView(request),
    resourceName: objectPath(exchange),
    object: hook === 'postDelete' ? null : current,
    oldObject: old,
    newObject:
      hook === 'onCreate' && request.method === 'create'
        ? cloneJson(request.content)
        : request.method === 'delete'
          ? null
          : current,
    ...(hook === 'onValidate' || hook === 'onStore' ? { value: current } : {}),
  };
}
