import type { AttributeInfo, AttributeType } from '../../contract.ts';

/** What a directory says of an attribute. */
export interface AttributeRule {
  readonly name: string;
  readonly hasEquality: boolean;
  readonly hasSubstrings: boolean;
  readonly type: AttributeType;
  readonly isSingle: boolean;
  readonly isReadOnly: boolean;
}

interface ObjectClassRule {
  readonly above: readonly string[];
  readonly must: readonly string[];
  readonly may: readonly string[];
}

interface Described {
  readonly names: readonly string[];
  readonly above: string | undefined;
  readonly hasEquality: boolean;
  readonly hasSubstrings: boolean;
  readonly syntax: string | undefined;
  readonly isSingle: boolean;
  readonly isReadOnly: boolean;
}

/** The type of a syntax, by the last part of its number in 1.3.6.1.4.1.1466.115.121.1; all others are texts. */
const TYPES: ReadonlyMap<string, AttributeType> = new Map([
  ['4', 'binary'],
  ['5', 'binary'],
  ['7', 'boolean'],
  ['8', 'binary'],
  ['9', 'binary'],
  ['10', 'binary'],
  ['23', 'binary'],
  ['27', 'integer'],
  ['28', 'binary'],
]);
const SYNTAX = /^1\.3\.6\.1\.4\.1\.1466\.115\.121\.1\.(\d+)/;

/** The schema of a directory (RFC 4512, 4.1), as far as it matters here. */
export class Subschema {
  readonly #attributes = new Map<string, AttributeRule>();
  readonly #classes = new Map<string, ObjectClassRule>();

  constructor(attributeTypes: readonly string[], objectClasses: readonly string[]) {
    const described = new Map<string, Described>();
    for (const text of attributeTypes) {
      const one = describe(text);
      for (const name of one.names) described.set(name.toLowerCase(), one);
    }
    // Active Directory says nothing of how it compares, and does it with all that is text or number.
    const isSilent = !attributeTypes.some((text) => / EQUALITY /.test(text));
    for (const [key, one] of described) {
      const rule = ruleOf(one, described);
      const isCompared = isSilent && rule.type !== 'binary' && !isBytes(one);
      const isText = isCompared && rule.type === 'string' && !isName(one);
      this.#attributes.set(key, isCompared ? { ...rule, hasEquality: true, hasSubstrings: isText } : rule);
    }
    for (const text of objectClasses) {
      const rule = { above: listIn(text, 'SUP'), must: listIn(text, 'MUST'), may: listIn(text, 'MAY') };
      for (const name of namesIn(text)) this.#classes.set(name.toLowerCase(), rule);
    }
  }

  attribute(name: string): AttributeRule | undefined {
    return this.#attributes.get(name.toLowerCase().replace(/;.*$/, ''));
  }

  /** What an entry of these classes must and may have, by name. */
  attributesOf(classes: readonly string[]): readonly AttributeInfo[] {
    const found = new Map<string, { readonly name: string; isRequired: boolean }>();
    const seen = new Set<string>();
    const visit = (name: string) => {
      const rule = this.#classes.get(name.toLowerCase());
      if (rule === undefined || seen.has(name.toLowerCase())) return;
      seen.add(name.toLowerCase());
      for (const above of rule.above) visit(above);
      for (const [names, isRequired] of [[rule.must, true] as const, [rule.may, false] as const]) {
        for (const one of names) {
          const known = found.get(one.toLowerCase());
          if (known === undefined) found.set(one.toLowerCase(), { name: one, isRequired });
          else known.isRequired ||= isRequired;
        }
      }
    };
    for (const name of classes) visit(name);
    found.delete('objectclass');
    return [...found.values()].map(({ name, isRequired }) => {
      const rule = this.attribute(name);
      return {
        name,
        type: rule?.type ?? 'string',
        isMultiValued: rule?.isSingle !== true,
        isRequired,
        isReadOnly: rule?.isReadOnly === true,
      };
    });
  }
}

function ruleOf(one: Described, all: ReadonlyMap<string, Described>): AttributeRule {
  const [name = ''] = one.names;
  const line: Described[] = [];
  for (let at: Described | undefined = one; at !== undefined && !line.includes(at); ) {
    line.push(at);
    at = at.above === undefined ? undefined : all.get(at.above.toLowerCase());
  }
  const syntax = line.find((each) => each.syntax !== undefined)?.syntax ?? '';
  return {
    name,
    hasEquality: line.some(({ hasEquality }) => hasEquality),
    hasSubstrings: line.some(({ hasSubstrings }) => hasSubstrings),
    type: TYPES.get(SYNTAX.exec(syntax)?.[1] ?? '') ?? 'string',
    isSingle: one.isSingle,
    isReadOnly: one.isReadOnly,
  };
}

function isBytes({ syntax = '' }: Described): boolean {
  return SYNTAX.exec(syntax)?.[1] === '40';
}

/** Whether it is a distinguished name, of which no part can be asked for. */
function isName({ syntax = '' }: Described): boolean {
  return SYNTAX.exec(syntax)?.[1] === '12';
}

function describe(text: string): Described {
  return {
    names: namesIn(text),
    above: / SUP ([\w.-]+)/.exec(text)?.[1],
    hasEquality: / EQUALITY /.test(text),
    hasSubstrings: / SUBSTR /.test(text),
    syntax: / SYNTAX '?([\d.]+)/.exec(text)?.[1],
    isSingle: / SINGLE-VALUE\b/.test(text),
    isReadOnly: / NO-USER-MODIFICATION\b/.test(text),
  };
}

function namesIn(text: string): readonly string[] {
  const [, one, several = ''] = / NAME (?:'([^']+)'|\(([^)]*)\))/.exec(text) ?? [];
  return one === undefined ? [...several.matchAll(/'([^']+)'/g)].map(([, name = '']) => name) : [one];
}

function listIn(text: string, key: string): readonly string[] {
  const [, several, one] = new RegExp(` ${key} (?:\\(([^)]*)\\)|([\\w.;-]+))`).exec(text) ?? [];
  return (several ?? one ?? '')
    .split('$')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
