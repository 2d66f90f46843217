import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuthenticationConfig,
  absentModule,
  authenticationConfig,
  managedConfig,
  type Objection,
  writtenJson,
} from '#config/index.ts';
import { BadRequestError, type Finding } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { Inspection } from '#platform/index.ts';
import {
  elementsAt,
  findSyntaxError,
  inspectPlaces,
  type Path,
  placeAt,
  type ScriptPlace,
  valueAt,
} from '#script/index.ts';
import { ACCESS_FILE } from './access/access-file.ts';
import { augmentScript } from './authentication/augmentation.ts';
import { buildModules, type ModuleParts } from './authentication/build-modules.ts';
import { doubledModules, doubledProviders } from './authentication/doubled-modules.ts';
import { moduleDoubts, nameDoubts } from './authentication/module-doubts.ts';
import { sharedPeople } from './authentication/shared-people.ts';

type AuthModule = AuthenticationConfig['serverAuthContext']['authModules'][number];

/** `authentication.json`: its modules, sessions and scripts. */
export function checkAuthentication({ config, scripts }: Inspection): void {
  // Building a module asks nothing of its parts; only logins do.
  const build = (value: AuthenticationConfig) => buildModules(value, {} as ModuleParts);
  config.addCheck(authenticationConfig, (value) => void build(value));
  config.addCheck(authenticationConfig, (value) => void requireModule(value));
  config.addCheck(authenticationConfig, moduleDoubts);
  config.addCheck(authenticationConfig, (value) => nameDoubts(value, config.get(managedConfig)));
  config.addCheck(authenticationConfig, grantDoubts);
  config.addCheck(authenticationConfig, (value) => doubledModules(value, build(value)));
  config.addCheck(authenticationConfig, (value) => doubledProviders(value, build(value)));
  config.addCheck(authenticationConfig, (value) => sharedPeople(value, build(value)));
  config.addCheck(authenticationConfig, (value) => inspectPlaces(scripts, scriptPlaces(writtenJson(value))));
}

function scriptPlaces(json: JsonValue): readonly ScriptPlace[] {
  return elementsAt(json, ['serverAuthContext', 'authModules']).flatMap((module) => ofModule(json, module));
}

/** A module that is switched off, or not here at all, runs nothing. */
function ofModule(json: JsonValue, module: Path): ScriptPlace[] {
  const value = valueAt(json, module);
  const { name = '', enabled = true, properties = null } = isObject(value) ? value : {};
  if (String(enabled) === 'false' || !isObject(properties)) return [];
  if (absentModule({ name: String(name), properties }) !== undefined) return [];
  return augmentScript(properties) === undefined
    ? []
    : placeAt(json, [...module, 'properties', 'augmentSecurityContext']);
}

/**
 * Asked also of what the schema has refused, as it is written.
 *
 * @throws BadRequestError when nobody could log in any more
 */
export function requireModule({ serverAuthContext }: AuthenticationConfig): void {
  const mayCome = (module: AuthModule) =>
    String(module.enabled) !== 'false' && absentModule(module) === undefined;
  if (serverAuthContext.authModules.some(mayCome)) return;
  throw new BadRequestError('No authentication module is enabled, so nobody could log in', {
    id: 'AUTHENTICATION_NO_MODULE',
    field: '/serverAuthContext/authModules',
  });
}

/** A project may rely on that those who write accounts write their roles as well; it is told what that means. */
function grantDoubts({ serverAuthContext: { grantsAnyRole } }: AuthenticationConfig): readonly Objection[] {
  const index = grantsAnyRole.indexOf('*');
  if (index < 0) return [];
  return [
    {
      id: 'AUTH_GRANTS_ANY_ROLE',
      field: `/serverAuthContext/grantsAnyRole/${index}`,
      message: 'Whoever may write the roles of an account makes an administrator of it, and so of themselves',
      hint: 'Name the roles of those who are to grant what they do not have',
      isWarning: true,
    },
  ];
}

/** A `script/access.js` with which nobody but administrators may do anything. */
export function findAccessMistakes(projectLocation: string): readonly Finding[] {
  const source = textOf(join(projectLocation, ACCESS_FILE));
  const error = source === undefined ? undefined : findSyntaxError({ name: ACCESS_FILE, source });
  if (error === undefined) return [];
  const { line, column, message } = error;
  return [{ id: 'ACCESS_NOT_COMPILED', where: `${ACCESS_FILE}:${line}:${column}`, message }];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
