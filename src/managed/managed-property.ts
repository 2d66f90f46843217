import { isObject, type JsonObject } from '#json/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';
import { isTrue, textOf } from './declared.ts';
import { compileDerivation, type Derivation } from './derive/derivation.ts';
import { compileRelationship, type Relationship } from './relationship/relationship.ts';

export const PROPERTY_HOOKS = ['onValidate', 'onStore', 'onRetrieve'] as const;
export type PropertyHook = (typeof PROPERTY_HOOKS)[number];

/** A top-level property of a type, compiled. */
export interface ManagedProperty {
  readonly name: string;
  readonly definition: JsonObject;
  /** Calculated when the object is read: what clients send for it counts for nothing. */
  readonly isCalculated: boolean;
  /** Shown without being asked for. A calculated property that is, is stored as well, so that changes can be seen. */
  readonly isDefault: boolean;
  /** Never shown to callers from outside. */
  readonly isPrivate: boolean;
  readonly encryption: { readonly cipher: string | null; readonly alias: string | null } | null;
  readonly hashAlgorithm: string | null;
  readonly scripts: Readonly<Partial<Record<PropertyHook, ScriptReference>>>;
  readonly relationship: Relationship | null;
  readonly derivation: Derivation | null;
}

/** One that is read off relationships. */
export interface DerivedProperty extends ManagedProperty {
  readonly derivation: Derivation;
}

export function isDerived(property: ManagedProperty): property is DerivedProperty {
  return property.derivation !== null;
}

/** One with a script of the hook that is asked about. */
export interface ScriptedProperty extends ManagedProperty {
  readonly reference: ScriptReference;
}

export function scriptedWith(properties: readonly ManagedProperty[], hook: PropertyHook): ScriptedProperty[] {
  return properties.flatMap((property) => {
    const reference = property.scripts[hook];
    return reference === undefined ? [] : { ...property, reference };
  });
}

/** @throws BadRequestError when a hook is no script reference, or a relationship is declared by halves */
export function compileProperty(type: string, name: string, definition: JsonObject): ManagedProperty {
  const scripts: Partial<Record<PropertyHook, ScriptReference>> = {};
  for (const hook of PROPERTY_HOOKS) {
    if ((definition[hook] ?? null) === null) continue;
    scripts[hook] = parseScriptReference(definition[hook], `/${type}/${name}/${hook}`);
  }
  const relationship = compileRelationship(name, definition);
  const isVirtual = isTrue(definition['isVirtual']);
  const derivation = isVirtual ? compileDerivation(definition['queryConfig']) : null;
  const isHidden = isVirtual || relationship !== null;
  const { encryption, secureHash } = definition;
  return {
    name,
    definition,
    isCalculated: isVirtual && (scripts.onRetrieve !== undefined || derivation !== null),
    isDefault: !isHidden || isTrue(definition['returnByDefault']),
    isPrivate: definition['scope'] === 'private',
    encryption: isObject(encryption)
      ? { cipher: textOf(encryption, 'cipher'), alias: textOf(encryption, 'key') }
      : null,
    // When both are declared, encryption wins.
    hashAlgorithm: !isObject(encryption) && isObject(secureHash) ? textOf(secureHash, 'algorithm') : null,
    scripts,
    relationship,
    derivation,
  };
}
