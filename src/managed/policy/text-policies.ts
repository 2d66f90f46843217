import { LRUCache } from 'lru-cache';
import { BadRequestError, wordsOf } from '#errors/index.ts';
import { hasText, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type FailedRequirement,
  listOfTexts,
  MET,
  type Policy,
  type PolicyInput,
  unmet,
  wholeNumber,
} from './policy.ts';

/** Says what is wrong with a text, or undefined when nothing is. */
type TextTest = (text: string, input: PolicyInput) => FailedRequirement[] | Promise<FailedRequirement[]>;

/**
 * Texts are judged where there is one: what is empty or no text passes, unless the property had to be there and is
 * not; then every rule is listed, so that a form can show what is asked of it.
 */
function textPolicy(
  id: string,
  requirement: string,
  { skipsAbsent = true, params = {} }: Partial<Pick<Policy, 'skipsAbsent' | 'params'>>,
  test: TextTest,
): Policy {
  return {
    id,
    requirements: [requirement],
    skipsAbsent,
    params,
    check(input) {
      if (typeof input.value === 'string' && input.value !== '') return test(input.value, input);
      return input.failed.includes('REQUIRED') ? unmet(requirement, reportable(input.params)) : MET;
    },
  };
}

function patternPolicy(id: string, requirement: string, pattern: RegExp): Policy {
  return textPolicy(id, requirement, {}, (text) => (pattern.test(text) ? MET : unmet(requirement)));
}

function countPolicy(id: string, requirement: string, param: string, pattern: RegExp): Policy {
  const declared = { [param]: wholeNumber('How many there are at least') };
  return textPolicy(id, requirement, { params: declared }, (text, { params }) => {
    const least = Number(params[param] ?? 0);
    return hasMatches(text, pattern, least) ? MET : unmet(requirement, { [param]: least });
  });
}

/** A text may be a megabyte of what is looked for: it is looked at no further than it takes. */
function hasMatches(text: string, pattern: RegExp, least: number): boolean {
  if (least <= 0) return true;
  let missing = least;
  for (const _ of text.matchAll(pattern)) {
    missing -= 1;
    if (missing <= 0) return true;
  }
  return false;
}

const expressions = new LRUCache<string, RegExp>({
  maxSize: 1_000_000,
  sizeCalculation: (_, key) => key.length,
});

/**
 * The expression of a rule's `regexp` and `flags`.
 *
 * @throws BadRequestError `POLICY_BAD_PATTERN` for a pattern that is none
 */
export function compilePattern(params: JsonObject): RegExp {
  const source = String(params['regexp'] ?? '');
  // A kept expression must not remember where it stopped.
  const flags = String(params['flags'] ?? '').replace(/[gy]/g, '');
  const key = `${flags}/${source}`;
  const known = expressions.get(key) ?? compile(source, flags);
  expressions.set(key, known);
  return known;
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw new BadRequestError(`'${source}' is not a regular expression: ${wordsOf(cause)}`, {
      id: 'POLICY_BAD_PATTERN',
      hint: 'A backslash stands twice in JSON: "\\\\d"',
      cause,
    });
  }
}

const REGEXP = {
  regexp: { type: 'string', required: true, description: 'A regular expression of JavaScript' },
  flags: { type: 'string', description: 'Such as i: in whatever case' },
};

const regexpMatches = textPolicy(
  'regexpMatches',
  'MATCH_REGEXP',
  { skipsAbsent: false, params: REGEXP },
  (text, { params }) =>
    compilePattern(params).test(text)
      ? MET
      : unmet('MATCH_REGEXP', reportable(params), {
          regexp: params['regexp'] ?? '',
          flags: params['flags'] ?? '',
        }),
);

const MIN_LENGTH = { minLength: wholeNumber('Characters at least') };

const minimumLength = textPolicy(
  'minimum-length',
  'MIN_LENGTH',
  { params: MIN_LENGTH },
  (text, { params }) => {
    const minLength = Number(params['minLength'] ?? 0);
    return text.length >= minLength ? MET : unmet('MIN_LENGTH', { minLength });
  },
);

const MAX_LENGTH = { maxLength: wholeNumber('Characters at most') };

const maximumLength = textPolicy(
  'maximum-length',
  'MAX_LENGTH',
  { params: MAX_LENGTH },
  (text, { params }) => {
    const maxLength = Number(params['maxLength'] ?? Number.POSITIVE_INFINITY);
    return text.length <= maxLength ? MET : unmet('MAX_LENGTH', { maxLength });
  },
);

const cannotContainCharacters = textPolicy(
  'cannot-contain-characters',
  'CANNOT_CONTAIN_CHARACTERS',
  { params: { forbiddenChars: listOfTexts('Characters that may not be in it') } },
  (text, { params }) => {
    const forbidden = listOf(params['forbiddenChars'], '');
    if (!forbidden.some((character) => text.includes(character))) return MET;
    return unmet('CANNOT_CONTAIN_CHARACTERS', { forbiddenChars: forbidden.join('') });
  },
);

const cannotContainOthers = textPolicy(
  'cannot-contain-others',
  'CANNOT_CONTAIN_OTHERS',
  { params: { disallowedFields: listOfTexts('Properties whose values may not be in it') } },
  async (text, { params, object, place }) => {
    const fields = listOf(params['disallowedFields'], ',');
    const stored = fields.some((field) => object[field] === undefined) ? await place.stored() : null;
    const failed = fields.filter((field) => {
      const other = object[field] ?? stored?.[field];
      return typeof other === 'string' && other !== '' && hasText(text, other);
    });
    return failed.flatMap((field) => unmet('CANNOT_CONTAIN_OTHERS', { disallowedFields: field }));
  },
);

/** A list, or a text of its entries; with an empty separator each character is one. */
function listOf(value: JsonValue | undefined, separator: string): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string'
    ? value.split(separator).map((entry) => (separator === '' ? entry : entry.trim()))
    : [];
}

function reportable(params: JsonObject): JsonObject {
  return isObject(params) ? params : {};
}

export const TEXT_POLICIES: readonly Policy[] = [
  regexpMatches,
  minimumLength,
  maximumLength,
  cannotContainCharacters,
  cannotContainOthers,
  countPolicy('at-least-X-capitals', 'AT_LEAST_X_CAPITAL_LETTERS', 'numCaps', /\p{Lu}/gu),
  countPolicy('at-least-X-numbers', 'AT_LEAST_X_NUMBERS', 'numNums', /\d/g),
  patternPolicy(
    'valid-email-address-format',
    'VALID_EMAIL_ADDRESS_FORMAT',
    /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
  ),
  patternPolicy('valid-name-format', 'VALID_NAME_FORMAT', /^[\p{L}\p{M}'’\-\s]+$/u),
  patternPolicy('valid-phone-format', 'VALID_PHONE_FORMAT', /^\+?[\d\s()-]*$/),
];
