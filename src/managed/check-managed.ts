import {
  type ManagedConfig,
  managedConfig,
  type Objection,
  policyConfig,
  repoConfig,
  writtenJson,
} from '#config/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { asField, type Inspection } from '#platform/index.ts';
import { compileQueries } from '#repo/index.ts';
import { elementsAt, inspectPlaces, membersAt, type Path, placeAt, type ScriptPlace } from '#script/index.ts';
import { findTypeMistakes } from './check-types.ts';
import { HOOK_NAMES } from './hook.ts';
import { PROPERTY_HOOKS } from './managed-property.ts';
import { ManagedTypes } from './managed-types.ts';
import { PolicyBook, type PolicySettings } from './policy/policy-book.ts';

/** `managed.json`, `policy.json` and the queries of the repository. */
export function checkManaged({ config, scripts }: Inspection): void {
  config.addCheck(managedConfig, async (value) => [
    ...withoutTypes(value.objects),
    ...findTypeMistakes(writtenJson(value.objects)),
    ...(await inspectPlaces(scripts, scriptPlaces(writtenJson(value)))).map((fault) =>
      /\/actions\//.test(fault.field) ? asField(fault) : fault,
    ),
  ]);
  config.addCheck(managedConfig, (value) => unknownPolicies(value.objects, config.get(policyConfig)));
  config.addCheck(policyConfig, (value) => unknownPolicies(config.get(managedConfig).objects, value));
  config.addCheck(policyConfig, async ({ additionalFiles }) => {
    const faults = additionalFiles.map(async (file, index) =>
      (await scripts.inspectFile(file)).map((fault) => ({ ...fault, field: `/additionalFiles/${index}` })),
    );
    return (await Promise.all(faults)).flat();
  });
  config.addCheck(repoConfig, (value) => void compileQueries(value.queries));
}

/** Where `managed.json` names scripts. */
export function scriptPlaces(json: JsonValue): readonly ScriptPlace[] {
  return elementsAt(json, ['objects']).flatMap((type) => ofType(json, type));
}

function ofType(json: JsonValue, type: Path): ScriptPlace[] {
  const properties = [...type, 'schema', 'properties'];
  return [
    ...HOOK_NAMES.flatMap((hook) => placeAt(json, [...type, hook])),
    ...membersAt(json, [...type, 'actions']).flatMap((path) => placeAt(json, path)),
    ...membersAt(json, properties).flatMap((property) => [
      ...PROPERTY_HOOKS.flatMap((hook) => placeAt(json, [...property, hook])),
      ...elementsAt(json, [...property, 'conditionalPolicies']).flatMap((policy) =>
        placeAt(json, [...policy, 'condition']),
      ),
    ]),
  ];
}

/** @throws BadRequestError when the objects of a running server could no longer be reached */
export function requireTypes({ objects }: ManagedConfig): void {
  if (objects.length > 0) return;
  throw new BadRequestError('It declares no managed type, so no object could be reached any more', {
    id: 'MANAGED_NO_TYPE',
    field: '/objects',
  });
}

/** A project of schedules or processes alone does without types. */
function withoutTypes(objects: unknown): readonly Objection[] {
  if (!Array.isArray(objects) || objects.length > 0) return [];
  const message = 'it declares no managed type: /managed has nothing to offer';
  return [{ id: 'MANAGED_NO_TYPE', field: '', message, isWarning: true }];
}

function unknownPolicies(objects: ManagedConfig['objects'], settings: PolicySettings): readonly Objection[] {
  const types = new ManagedTypes();
  try {
    types.replace(writtenJson(objects));
  } catch {
    // What is wrong with the types is told of them.
    return [];
  }
  const book = new PolicyBook(types, settings);
  // The policies that a file declares are known only when it has run.
  if (book.files.length > 0) return [];
  return book.undeclared().map(({ policyId, property }) => ({
    id: 'POLICY_UNKNOWN',
    field: '',
    message: `${property} has the policy '${policyId}', which there is not: writes will fail`,
    hint: 'Declare it with addPolicy in a file of "additionalFiles" in policy.json',
    isWarning: true,
  }));
}
