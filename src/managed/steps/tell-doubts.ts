import { equalJson } from '#json/index.ts';
import { pointersOf } from '#resource/index.ts';
import type { Exchange } from '../exchange.ts';
import { parseCondition } from '../grant/conditional-grant.ts';
import type { Governed } from '../managed-types.ts';
import { strayWarnings } from '../relationship/stray-reference.ts';

/**
 * Whoever saves a condition is told which of the properties that it looks at those may change whom it is about: whoever meets it
 * by their own word has what it grants. Whoever saves a reference is told where its relationship is declared for other objects.
 * Later reads do not repeat it.
 */
export function tellDoubts(exchange: Exchange): void {
  const conditions = exchange.platform.types
    .governedBy(exchange.type.name)
    .flatMap((governed) => doubtsOf(exchange, governed));
  const warnings = [...new Set(conditions), ...strayWarnings(exchange.edgeChanges)];
  if (warnings.length > 0) exchange.answer = { ...exchange.answer, warnings };
}
tellDoubts.applies = ({ context, edit, isCheck }: Exchange) =>
  edit === null && !isCheck && context.client.isExternal;

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
