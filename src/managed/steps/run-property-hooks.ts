import { ForbiddenError } from '#errors/index.ts';
import { isObject, setMember } from '#json/index.ts';
import { type BindingsOf, requestView, ScriptError } from '#script/index.ts';
import { type Exchange, objectPath, withIdentity, withoutIdentity } from '../exchange.ts';
import type { ScriptedProperty } from '../managed-property.ts';
import type { Step } from '../pipeline.ts';
import type { PROPERTY_USE } from '../script-uses.ts';

/** Runs the `onValidate` or `onStore` of every property that has one, also where the property is absent. */
export function runPropertyHooks(hook: 'onValidate' | 'onStore'): Step<Exchange> {
  const step = async (exchange: Exchange) => {
    for (const property of exchange.type.scripted[hook]) await runPropertyHook(exchange, property, hook);
  };
  Object.defineProperty(step, 'name', { value: `property ${hook}` });
  return Object.assign(step, {
    applies: ({ type }: Exchange) => type.scripted[hook].length > 0,
  });
}

async function runPropertyHook(
  exchange: Exchange,
  { name, reference }: ScriptedProperty,
  hook: 'onValidate' | 'onStore',
) {
  const { context, cause, id, platform, rev, type } = exchange;
  try {
    const { value, bindings } = await platform.scripts.evaluate(context, {
      reference,
      label: `${type.name} ${name} ${hook}`,
      bindings: {
        request: requestView(cause),
        resourceName: objectPath(exchange),
        object: withIdentity(id, rev, exchange.object),
        property: exchange.object[name] ?? null,
        propertyName: name,
      } satisfies BindingsOf<typeof PROPERTY_USE>,
      returnBindings: hook === 'onStore' ? ['object'] : [],
    });
    if (hook === 'onValidate') return;
    const changed = bindings['object'];
    if (isObject(changed)) exchange.object = withoutIdentity(changed);
    setMember(exchange.object, name, value);
  } catch (error) {
    throw hook === 'onValidate' ? refusal(error) : error;
  }
}

/** What a validation throws without a code of its own means that the value is refused. */
function refusal(error: unknown): unknown {
  if (!(error instanceof ScriptError) || !wasThrown(error.cause)) return error;
  return new ForbiddenError(error.message, { id: 'PROPERTY_REFUSED', cause: error });
}

/** Thrown by the script on purpose, and not by the engine because of a mistake in it. */
function wasThrown(cause: unknown): boolean {
  if (!(cause instanceof Error) || !('thrown' in cause)) return false;
  const name = isObject(cause.thrown) ? cause.thrown['name'] : undefined;
  return !/^(?:Type|Reference|Range|Syntax|Internal)Error$/.test(String(name));
}
