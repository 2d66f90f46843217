import { isObject, isSecretName, type JsonObject, type JsonValue } from '#json/index.ts';
import type { ClientContext, HttpContext, SecurityContext } from '#resource/index.ts';

/** The script of a module that has the last word on who somebody is (`augmentSecurityContext`), and what it is given. */
export interface Augmentation {
  readonly script: JsonValue;
  readonly module: string;
  /** The properties of the module, without its secrets. */
  readonly properties: JsonObject;
  readonly security: SecurityContext;
  readonly client: ClientContext;
  readonly http: HttpContext | null;
  readonly requestId: string;
}

/** What the script has answered, and what it has left in its variable `security`. */
export interface Augmented {
  readonly value: JsonValue;
  readonly security: JsonValue;
}

/** Runs the script, where scripts run. Rejects with what it has thrown. */
export type Augment = (augmentation: Augmentation) => Promise<Augmented>;

export interface AugmentedSecurity {
  readonly authenticationId: string;
  readonly authorization: JsonObject & { readonly id: string; readonly component: string };
  readonly roles: readonly GivenRole[];
}

/** A role as a script gives it: a name, which may be a reference as well, or nothing but a reference. */
export type GivenRole = string | { readonly _ref: string };

const SCRIPT = 'augmentSecurityContext';
/** It goes along with every request, and stays with each process that is started. */
const MOST_CHARACTERS = 65_536;

/** The script of a module; undefined where there is none. User interfaces write an empty object for none. */
export function augmentScript(properties: JsonObject): JsonValue | undefined {
  const script = properties[SCRIPT] ?? null;
  return script === null || (isObject(script) && Object.keys(script).length === 0) ? undefined : script;
}

/** The properties of a module as its script sees them. */
export function shownProperties(properties: JsonObject): JsonObject {
  const shown = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(shown);
    if (!isObject(value)) return value;
    const members = Object.entries(value).filter(([name, member]) => !isSecret(name, member));
    return Object.fromEntries(members.map(([name, member]) => [name, shown(member)]));
  };
  return shown(properties) as JsonObject;
}

/** `propertyMapping` has names of properties. */
function isSecret(name: string, value: JsonValue): boolean {
  return typeof value === 'string' && (isSecretName(name) || /hash$/i.test(name));
}

/**
 * Who somebody is by the script: what it answers, and where that says nothing, its variable `security`.
 *
 * @throws TypeError for what is nobody
 */
export function readAugmented({ value, security }: Augmented): AugmentedSecurity {
  const answered = isObject(value) ? value : {};
  const left = isObject(security) ? security : {};
  // Older scripts write what is called `authorization` now; to pass over it would be to pass over what they take away.
  if ('authorizationId' in answered || 'authorizationId' in left) {
    throw new TypeError('security.authorizationId means nothing; it is called security.authorization');
  }
  const authorization = answered['authorization'] ?? left['authorization'] ?? null;
  if (!isObject(authorization)) throw new TypeError('security.authorization is no object');
  if (JSON.stringify(authorization).length > MOST_CHARACTERS) {
    throw new TypeError(`security.authorization has more than ${MOST_CHARACTERS} characters`);
  }
  const { id, component, roles } = authorization;
  return {
    authenticationId: textOf(
      'authenticationId',
      answered['authenticationId'] ?? left['authenticationId'] ?? null,
    ),
    authorization: {
      ...authorization,
      id: textOf('authorization.id', id),
      component: textOf('authorization.component', component),
    },
    roles: rolesIn(roles),
  };
}

function textOf(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`security.${name} is ${JSON.stringify(value ?? null)}, which is nobody`);
}

function rolesIn(roles: JsonValue | undefined): readonly GivenRole[] {
  const list = typeof roles === 'string' ? roles.split(',').map((role) => role.trim()) : (roles ?? []);
  if (!Array.isArray(list)) throw new TypeError('security.authorization.roles is no list');
  return list
    .map((role): GivenRole => {
      if (typeof role === 'string') return role;
      const reference = isObject(role) ? role['_ref'] : undefined;
      if (typeof reference === 'string') return { _ref: reference };
      throw new TypeError('security.authorization.roles has a role that is neither a text nor a reference');
    })
    .filter((role) => role !== '');
}
