import { cloneJson, equalJson, isObject, type JsonObject } from '#json/index.ts';
import { requestView } from '#script/index.ts';
import { objectPath, type Planned, withIdentity, withoutIdentity } from '../exchange.ts';
import { type HookName, hookOf } from '../hook.ts';
import type { Step } from '../pipeline.ts';
import { withRelationships } from '../relationship/looked-up-edges.ts';

/** Runs a hook of the type. What it throws ends the request and rolls everything back. */
export function runHook(hook: HookName): Step<Planned> {
  const { keeps } = hookOf(hook);
  const step = async (exchange: Planned) => {
    const given = bindingsOf(exchange, hook);
    const { bindings } = await exchange.platform.scripts.evaluate(exchange.context, {
      reference: exchange.type.hooks[hook]!,
      label: `${exchange.type.name} ${hook}`,
      bindings: given,
      returnBindings: [...keeps],
    });
    if (keeps.length > 0) exchange.object = withoutIdentity(changedObject(given, bindings, keeps));
  };
  Object.defineProperty(step, 'name', { value: hook });
  return Object.assign(step, {
    applies: ({ type }: Planned) => type.hooks[hook] !== undefined,
  });
}

function bindingsOf(exchange: Planned, hook: HookName): JsonObject {
  const { before, cause, id, object, request, stored } = exchange;
  const old = before === null ? null : withIdentity(id, stored.rev, before);
  const { hasRelationships, sees } = hookOf(hook);
  const shown = hasRelationships === true ? withRelationships(exchange) : object;
  const current = withIdentity(id, exchange.rev, shown);
  const isDelete = request.method === 'delete';
  return {
    request: requestView(cause),
    resourceName: objectPath(exchange),
    object: hook === 'postDelete' ? old : current,
    oldObject: old,
    newObject:
      hook === 'onCreate' && request.method === 'create'
        ? cloneJson(request.content)
        : isDelete
          ? null
          : current,
    ...('value' in sees ? { value: current } : {}),
  };
}

/**
 * What the script left of the object. Where it has two names, the script may have changed it under either: members
 * that differ from what was given win.
 */
function changedObject(given: JsonObject, returned: JsonObject, names: readonly string[]): JsonObject {
  const before = given['object'] as JsonObject;
  const [first, second] = names.map((name) => returned[name]);
  if (!isObject(first)) return isObject(second) ? second : before;
  if (!isObject(second) || equalJson(second, before)) return first;
  const merged: JsonObject = { ...first };
  for (const name of new Set([...Object.keys(before), ...Object.keys(second)])) {
    if (equalJson(second[name], before[name])) continue;
    if (second[name] === undefined) delete merged[name];
    else merged[name] = second[name];
  }
  return merged;
}
