import { equalJson, getMember } from '#json/index.ts';
import { pointersOf, readerOf } from '#resource/index.ts';
import { collectionOf, type Exchange } from '../exchange.ts';
import { parseCondition } from '../grant/conditional-grant.ts';
import type { Governed } from '../managed-types.ts';
import { strayWarnings } from '../relationship/stray-reference.ts';
import { namesIn } from './login-roles.ts';

/**
 * Whoever gives a role to an account is told where nothing knows it. Whoever saves a condition is told which of the properties that it looks at those may change whom it is about: whoever meets it
 * by their own word has what it grants. Whoever saves a reference is told where its relationship is declared for other objects.
 * Later reads do not repeat it.
 */
export async function tellDoubts(exchange: Exchange): Promise<void> {
  const conditions = exchange.platform.types
    .governedBy(exchange.type.name)
    .flatMap((governed) => doubtsOf(exchange, governed));
  const roles = await unknownRoles(exchange);
  const warnings = [...new Set(conditions), ...strayWarnings(exchange.edgeChanges), ...roles];
  if (warnings.length > 0) exchange.answer = { ...exchange.answer, warnings };
}
tellDoubts.applies = ({ context, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && context.client.isExternal;

async function unknownRoles(exchange: Exchange): Promise<readonly string[]> {
  const { platform, context, type, before, object } = exchange;
  const added = platform.roleGrants
    .propertiesAt(collectionOf(exchange))
    // Where a reference leads is looked at when it is written.
    .filter((property) => !type.relationships.has(property))
    .flatMap((property) => {
      const had = new Set(namesIn(getMember(before ?? {}, property)));
      return namesIn(getMember(object, property)).filter((role) => !had.has(role));
    });
  if (added.length === 0) return [];
  return platform.knownRoles.warnings(await readerOf(platform, context), added);
}

function doubtsOf({ before, object }: Exchange, { owner, relationship }: Governed): readonly string[] {
  const { conditionField: field } = relationship;
  if (field === null || equalJson(object[field] ?? null, before?.[field] ?? null)) return [];
  const condition = parseCondition(object[field], field);
  if (condition === null) return [];
  const names = new Set(pointersOf(condition.filter).flatMap(([name]) => name ?? []));
  return [...names]
    .filter((name) => owner.compiled.get(name)?.definition['userEditable'] === true)
    .map(
      (name) =>
        `${field}: '${name}' may be edited by those whom it is about ('userEditable' of managed/${owner.name}), who get what it grants by their own word`,
    );
}
