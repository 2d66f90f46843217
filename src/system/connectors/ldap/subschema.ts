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
    const isSilent = !attributeTypes.some((text) => wordsOf(text).includes('EQUALITY'));
    for (const [key, one] of described) {
      const rule = ruleOf(one, described);
      const isCompared = isSilent && rule.type !== 'binary' && !isBytes(one);
      const isText = isCompared && rule.type === 'string' && !isName(one);
      this.#attributes.set(key, isCompared ? { ...rule, hasEquality: true, hasSubstrings: isText } : rule);
    }
    for (const text of objectClasses) {
      const words = wordsOf(text);
      const [above, must, may] = [valuesOf(words, 'SUP'), valuesOf(words, 'MUST'), valuesOf(words, 'MAY')];
      for (const name of valuesOf(words, 'NAME')) {
        this.#classes.set(unquoted(name).toLowerCase(), { above, must, may });
      }
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
  const words = wordsOf(text);
  const says = (word: string) => words.includes(word);
  return {
    names: valuesOf(words, 'NAME').map(unquoted),
    above: valuesOf(words, 'SUP')[0],
    hasEquality: says('EQUALITY'),
    hasSubstrings: says('SUBSTR'),
    syntax: valuesOf(words, 'SYNTAX').map(unquoted)[0],
    isSingle: says('SINGLE-VALUE'),
    isReadOnly: says('NO-USER-MODIFICATION'),
  };
}

/**
 * Quoted texts with their quotes, signs and words, in time in proportion to the text, which is somebody else's. A quote within
 * a word ends nothing: some directories write 'the owner's'.
 */
function wordsOf(text: string): readonly string[] {
  return text.match(/'(?:[^']|'(?![\s)]))*(?:'|$)|[()$]|[^\s()$']+/g) ?? [];
}

/** What follows a word: one, or several in brackets. */
function valuesOf(words: readonly string[], key: string): readonly string[] {
  const at = words.indexOf(key) + 1;
  const first = words[at];
  if (at === 0 || first === undefined) return [];
  if (first !== '(') return [first];
  const end = words.indexOf(')', at);
  return words.slice(at + 1, end < 0 ? undefined : end).filter((word) => word !== '$');
}

function unquoted(word: string): string {
  return word.replaceAll("'", '');
}
