import { equalJson, type JsonValue } from '#json/index.ts';
import { parseQueryFilter } from '#resource/index.ts';
import { parseInstant } from '#time/index.ts';
import { parseTemporalConstraints } from '../grant/temporal-constraint.ts';
import { listOfTexts, MET, type Policy, type PolicyInput, unmet } from './policy.ts';
import { UNIQUE_POLICIES } from './unique-policies.ts';

/** A policy that says no more than whether a value can be read. */
function readable(id: string, requirement: string, read: (value: JsonValue) => void): Policy {
  return {
    id,
    requirements: [requirement],
    skipsAbsent: true,
    check({ value = null }) {
      if (value === null || value === '') return MET;
      try {
        read(value);
        return MET;
      } catch {
        return unmet(requirement);
      }
    },
  };
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

const validDateTime = readable('valid-datetime', 'VALID_DATETIME', (value) => {
  if (!DATE_TIME.test(String(value)) || Number.isNaN(parseInstant(String(value))))
    throw new TypeError('no date');
});

const validQueryFilter = readable('valid-query-filter', 'VALID_QUERY_FILTER', (value) =>
  parseQueryFilter(String(value)),
);

const validTemporalConstraints = readable(
  'valid-temporal-constraints',
  'VALID_TEMPORAL_CONSTRAINTS',
  (value) => parseTemporalConstraints(value, 'role'),
);

/** Nobody else has the name, internal users included. */
const validUsername: Policy = {
  id: 'valid-username',
  requirements: ['VALID_USERNAME'],
  skipsAbsent: true,
  async check(input) {
    for (const policy of UNIQUE_POLICIES) {
      if ((await policy.check(input)).length > 0) return unmet('VALID_USERNAME');
    }
    return MET;
  },
};

/** Whoever changes the property over REST sends their password once more, unless one of their roles is excepted. */
const reAuthRequired: Policy = {
  id: 're-auth-required',
  requirements: ['REAUTH_REQUIRED'],
  params: { exceptRoles: listOfTexts('Roles of which one is enough not to be asked') },
  skipsAbsent: true,
  async check(input) {
    const { exceptRoles } = input.params;
    const { client, security } = input.context;
    const { roles, reauthenticated } = security.authorization;
    const isExcepted = Array.isArray(exceptRoles) && roles.some((role) => exceptRoles.includes(role));
    if (!client.isExternal || isExcepted || reauthenticated === true || !(await changes(input))) return MET;
    return unmet('REAUTH_REQUIRED', { exceptRoles: exceptRoles ?? [] });
  },
};

/**
 * What is not stored yet belongs to nobody who could be asked. Whether a secret is the one that is stored is told nobody
 * before: that would be a guess at it which no login counts.
 */
async function changes({ value = null, property, place }: PolicyInput): Promise<boolean> {
  const stored = await place.stored();
  if (stored === null) return false;
  return place.isSecret?.(property) === true || !equalJson(stored[property] ?? null, value);
}

/** Policies of self-service, which there is not, and of configuration, which is looked at whenever it changes. */
const ALWAYS_MET = ['required-if-configured', 'valid-event-scripts'].map(
  (id): Policy => ({ id, requirements: [], skipsAbsent: true, check: () => MET }),
);

/** Policies that only some versions of servers of the field have. */
export const FIELD_POLICIES: readonly Policy[] = [
  validDateTime,
  validQueryFilter,
  validTemporalConstraints,
  validUsername,
  reAuthRequired,
  ...ALWAYS_MET,
];
