import type { Finding } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';

/** Where properties are looked up. */
interface PropertyLookup {
  get(name: string): JsonValue | undefined;
}

/** The names of another server of the field that are understood beside our own. */
export interface Compat {
  /** What scripts call `svc`; also in headers (`X-OpenIDM-Username`) and before properties (`openidm.node.id`). */
  readonly name: string;
  /** Where its clients ask for resources. */
  readonly basePath: string;
}

const SETTING = 'svc.compat';
const CONTEXT_PATH = 'openidm.context.path';
const NAME = 'openidm';
/** Prefixes of properties that mean the same one. */
const PREFIXES = ['svc.', 'openidm.', 'wrenidm.'];
/** What is answered at these places already. */
const TAKEN = ['svc', 'scim', 'console', 'docs', 'health', 'metrics'];

/** What the roles are called to which the server itself gives a meaning: each has one name at a time. */
export interface RoleNames {
  readonly admin: string;
  readonly authorized: string;
  readonly reg: string;
  readonly cert: string;
  readonly tasksManager: string;
}

/** What `svc.compat` says; undefined where it is off, as it is unless somebody switches it on. */
export function compatOf(properties: PropertyLookup): Compat | undefined {
  if (settingOf(properties) !== NAME) return undefined;
  return { name: NAME, basePath: contextPath(properties) };
}

/** @returns what is wrong with how it is switched on */
export function compatFindings(properties: PropertyLookup): readonly Finding[] {
  const setting = settingOf(properties);
  if (setting === '' || setting === 'off') return [];
  if (setting !== NAME) return [wrong(SETTING, setting, `It is '${NAME}' or 'off'`)];
  const path = contextPath(properties);
  const [, place] = /^\/([\w-]+)$/.exec(path) ?? [];
  if (place !== undefined && !TAKEN.includes(place.toLowerCase())) return [];
  return [wrong(CONTEXT_PATH, path, `One segment, such as /${NAME}, where nothing else is answered`)];
}

const ROLE = /^(?:svc|openidm|wrenidm)-[a-z][a-z-]*$/;
/** The role of clients of SCIM, which goes by no other name. */
const FIXED_ROLE = 'svc-scim';

export function roleNamesOf(properties: PropertyLookup): RoleNames {
  const name = (role: string) => String(properties.get(`svc.role.${role}`) ?? `svc-${role}`).trim();
  return {
    admin: name('admin'),
    authorized: name('authorized'),
    reg: name('reg'),
    cert: name('cert'),
    tasksManager: name('tasks-manager'),
  };
}

/** No object that somebody makes may be known by such a name, and two powers may not share one. */
export function roleFindings(properties: PropertyLookup): readonly Finding[] {
  const names = Object.values(roleNamesOf(properties));
  return names.flatMap((name, at) => {
    const isSound = ROLE.test(name) && names.indexOf(name) === at && name !== FIXED_ROLE;
    return isSound
      ? []
      : [
          wrong(
            'svc.role',
            name,
            "Each begins with 'svc-', 'openidm-' or 'wrenidm-', in lower case, and is another",
          ),
        ];
  });
}

function wrong(field: string, value: string, hint: string): Finding {
  return {
    id: 'CONFIG_BAD_PROPERTIES',
    where: 'conf/boot/boot.properties:1:1',
    message: `'${field}' is '${value}'`,
    hint,
  };
}

/** All names of a property while that name is understood, the one asked for first; else that alone. */
export function namesOf(property: string, isCompat: boolean): readonly string[] {
  const prefix = isCompat ? PREFIXES.find((each) => property.startsWith(each)) : undefined;
  if (prefix === undefined || property === SETTING) return [property];
  const rest = property.slice(prefix.length);
  return [property, ...PREFIXES.filter((each) => each !== prefix).map((each) => each + rest)];
}

function settingOf(properties: PropertyLookup): string {
  return String(properties.get(SETTING) ?? '')
    .trim()
    .toLowerCase();
}

function contextPath(properties: PropertyLookup): string {
  return String(properties.get(CONTEXT_PATH) ?? `/${NAME}`).trim();
}
