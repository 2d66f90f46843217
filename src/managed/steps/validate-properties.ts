import { equalJson, firstOf, type JsonObject } from '#json/index.ts';
import { requestView } from '#script/index.ts';
import { collectionOf, type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { policyRefusal } from '../policy/policy-refusal.ts';
import { validateObject } from '../policy/validate-object.ts';
import { isEmptyPlan } from '../relationship/plan-edges.ts';
import { planWanted } from '../relationship/plan-wanted.ts';
import type { Relationship } from '../relationship/relationship.ts';
import { matchesSecret } from '../secret.ts';

/**
 * Asks the rules about what will be stored, the defaults of hooks included: about everything when an object is
 * created or replaced, about what changes, or goes away, when it is patched.
 */
export async function validateProperties(exchange: WriteExchange): Promise<void> {
  const { before, cause, context, id, object, overwritten, platform, request } = exchange;
  const only = propertiesToAsk(exchange);
  if (only.size === 0) return;
  const result = await validateObject({
    context,
    scripts: {
      scripts: platform.scripts,
      files: () => platform.policies().files,
      readFile: platform.readScript,
    },
    rules: platform.policies().rulesFor(collectionOf(exchange)),
    place: {
      collection: collectionOf(exchange),
      id,
      db: () => context.unitOfWork.db(),
      ...(exchange.isLight ? { unitOfWork: context.unitOfWork } : {}),
      stored: async () => before,
      isBinding: true,
      matches: (text, stored) => matchesSecret(platform, text, stored),
      isSecret: (property) => overwritten.has(property.split(/[/[]/)[0]!),
      tellsOfOthers: true,
      mappings: () => platform.synchronizer.mappings(),
    },
    object: { _id: id, ...object, ...wantedValues(exchange) },
    only,
    bindings: { request: requestView(cause), resourceName: objectPath(exchange) },
    isHashed: (value) => platform.crypto.isHashed(value),
  });
  if (result.result) return;
  const message = request.method === 'patch' ? 'Failed policy validation' : 'Policy validation failed';
  throw policyRefusal(message, result);
}
validateProperties.applies = ({ platform, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && platform.enforcesPolicies();

function wantedValues({ wanted }: Exchange): JsonObject {
  return Object.fromEntries([...wanted].map(([{ property }, value]) => [property, value]));
}

function propertiesToAsk(exchange: Exchange): ReadonlySet<string> {
  const { before, object, overwritten, platform, request, type } = exchange;
  const all = platform.policies().rulesFor(collectionOf(exchange));
  // Calculated properties are what they are.
  const calculated = new Set(type.calculated.map(({ name }) => name));
  const asked = all.map(({ path }) => firstOf(path)).filter((name) => !calculated.has(name));
  if (before === null) return new Set(asked);
  return new Set(
    asked.filter((name) => {
      const relationship = type.relationships.get(name);
      if (relationship !== undefined) return isChanged(exchange, relationship);
      if (request.method === 'update' || overwritten.has(name)) return true;
      return !equalJson(object[name], before[name]);
    }),
  );
}

function isChanged(exchange: Exchange, relationship: Relationship): boolean {
  const value = exchange.wanted.get(relationship);
  return value !== undefined && !isEmptyPlan(planWanted(exchange, relationship, value));
}
