import { isObject, type JsonValue } from '#json/index.ts';
import { parseInstant } from '#time/index.ts';
import { listOfTexts, MET, type Policy, unmet, wholeNumber } from './policy.ts';

const required: Policy = {
  id: 'required',
  requirements: ['REQUIRED'],
  skipsAbsent: false,
  check: ({ value }) => (value === undefined ? unmet('REQUIRED') : MET),
};

const notEmpty: Policy = {
  id: 'not-empty',
  requirements: ['REQUIRED'],
  skipsAbsent: true,
  check: ({ value }) => {
    const isEmpty =
      value === null || ((typeof value === 'string' || Array.isArray(value)) && value.length === 0);
    return isEmpty ? unmet('REQUIRED') : MET;
  },
};

const validType: Policy = {
  id: 'valid-type',
  requirements: ['VALID_TYPE'],
  params: {
    types: listOfTexts(
      'Kinds of values that may be: string, number, integer, boolean, object, array, null, any',
    ),
  },
  skipsAbsent: true,
  check({ value, params }) {
    const types = Array.isArray(params['types']) ? params['types'].map(String) : [];
    if (types.length === 0 || value === undefined || types.some((type) => isOfType(value, type))) return MET;
    return unmet('VALID_TYPE', { invalidType: typeName(value), validTypes: types });
  },
};

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'any') return true;
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  return typeName(value) === type;
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value;
}

const validDate: Policy = {
  id: 'valid-date',
  requirements: ['VALID_DATE'],
  skipsAbsent: true,
  check({ value, failed }) {
    if (typeof value === 'string' && value !== '') {
      return Number.isNaN(parseInstant(value)) ? unmet('VALID_DATE') : MET;
    }
    return failed.includes('REQUIRED') ? unmet('VALID_DATE') : MET;
  },
};

const cannotContainDuplicates: Policy = {
  id: 'cannot-contain-duplicates',
  requirements: ['CANNOT_CONTAIN_DUPLICATES'],
  skipsAbsent: true,
  check({ value }) {
    if (!Array.isArray(value)) return MET;
    const seen = new Set<string>();
    for (const entry of value) {
      const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
      if (seen.has(text)) return unmet('CANNOT_CONTAIN_DUPLICATES', { duplicateValue: entry });
      seen.add(text);
    }
    return MET;
  },
};

const MINUTE_MS = 60_000;

/** Too many attempts, the last of them not long enough ago. */
const maxAttempts: Policy = {
  id: 'max-attempts-triggers-lock-cooldown',
  requirements: ['NO_MORE_THAN_X_ATTEMPTS_WITHIN_Y_MINUTES'],
  params: {
    max: wholeNumber('Attempts that may be made'),
    numMinutes: wholeNumber('Minutes until there may be others'),
    dateTimeField: { type: 'string', required: true, description: 'Property with the time of the last one' },
  },
  skipsAbsent: true,
  check({ value, params, object }) {
    const max = Number(params['max'] ?? 0);
    const numMinutes = Number(params['numMinutes'] ?? 0);
    const lastAt = Date.parse(String(object[String(params['dateTimeField'])] ?? ''));
    const isLocked = Number(value) > max && Date.now() - lastAt < numMinutes * MINUTE_MS;
    return isLocked ? unmet('NO_MORE_THAN_X_ATTEMPTS_WITHIN_Y_MINUTES', { max, numMinutes }) : MET;
  },
};

const mappingExists: Policy = {
  id: 'mapping-exists',
  requirements: ['MAPPING_EXISTS'],
  skipsAbsent: true,
  check: ({ value, place }) =>
    typeof value === 'string' && place.mappings().includes(value) ? MET : unmet('MAPPING_EXISTS'),
};

export const VALUE_POLICIES: readonly Policy[] = [
  required,
  notEmpty,
  validType,
  validDate,
  cannotContainDuplicates,
  maxAttempts,
  mappingExists,
];
