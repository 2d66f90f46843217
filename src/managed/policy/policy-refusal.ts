import { ForbiddenError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ValidationResult } from './validate-object.ts';

/** What a requirement asks of a property, where its name alone does not say it to people. */
const ASKS: Readonly<Record<string, string>> = {
  REQUIRED: 'is required',
  UNIQUE: 'must be unique',
  VALID_TYPE: 'has the wrong type',
};
const MOST_NAMED = 10;

/**
 * The refusal of an object: clients know it by its message and read the requirements; people are told in the hint which
 * properties it is about.
 */
export function policyRefusal(message: string, result: ValidationResult): ForbiddenError {
  const said = new Set(
    result.failedPolicyRequirements.flatMap(({ property, policyRequirements }) =>
      (policyRequirements as JsonObject[]).map(({ policyRequirement }) =>
        sentence(property!, policyRequirement!),
      ),
    ),
  );
  const more = said.size > MOST_NAMED ? `; and ${said.size - MOST_NAMED} more` : '';
  return new ForbiddenError(message, {
    hint: [...said].slice(0, MOST_NAMED).join('; ') + more,
    detail: result,
  });
}

function sentence(property: JsonValue, requirement: JsonValue): string {
  return `${String(property)} ${ASKS[String(requirement)] ?? `does not meet ${String(requirement)}`}`;
}
