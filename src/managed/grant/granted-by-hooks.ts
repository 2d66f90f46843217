import { isObject, type JsonObject } from '#json/index.ts';

const CALL = /\b(?:update|create)ConditionalGrantsForUser\s*\(\s*\w+\s*,\s*(['"])(\w+)\1\s*\)/g;

/**
 * The relationships that hooks of the field keep by `roles/conditionalRoles`: its conditions and time spans are those of
 * the targets, which the server looks after itself.
 */
export function grantedByHooks({ onCreate, onUpdate }: JsonObject): ReadonlySet<string> {
  const sources = [onCreate, onUpdate].map((hook) => (isObject(hook) ? hook['source'] : ''));
  return new Set(sources.flatMap((source) => [...String(source).matchAll(CALL)].map((call) => call[2]!)));
}

/** The property with what those hooks imply; what it declares itself goes first. */
export function asGranted(property: JsonObject): JsonObject {
  const granted = {
    conditionalAssociationField: 'condition',
    temporalConstraintsField: 'temporalConstraints',
  };
  const { items } = property;
  return isObject(items) ? { ...property, items: { ...granted, ...items } } : { ...granted, ...property };
}
