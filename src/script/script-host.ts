import { type PropertySource, type Settings, substitute } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { translateDatabaseError } from '#database/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import type { LogLevel } from '#observability/index.ts';
import { Connection, type Context, type RequestSink } from '#resource/index.ts';
import { contextFrom } from './context-view.ts';
import type { HostOperations } from './host-operations.ts';
import { randomString } from './random-string.ts';
import { resourceOperations } from './resource-operations.ts';
import type { ScriptLibrary } from './script-library.ts';

export interface HostOptions {
  readonly context: Context;
  readonly resources: RequestSink;
  readonly crypto: Crypto;
  readonly library: ScriptLibrary;
  readonly settings: Settings;
  readonly properties: PropertySource;
  readonly log: (level: LogLevel, message: string) => void;
  /** Operations that only this call has. */
  readonly operations?: HostOperations;
  /** The script has those operations, modules and the log, and nothing else. */
  readonly isAlone?: boolean;
}

export type Host = (operation: string, args: JsonValue[]) => Promise<JsonValue>;

/** What a script can reach outside its sandbox, and nothing else. */
export function hostOf(options: HostOptions): Host {
  // Most scripts ask for nothing.
  let operations: HostOperations | undefined;
  return async (operation, args) => {
    options.context.budget.spend('hostCalls');
    operations ??= operationsOf(options);
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (run === undefined) {
      throw new BadRequestError(`Scripts have no function '${operation}'`, { id: 'SCRIPT_NO_FUNCTION' });
    }
    try {
      return await run(args);
    } catch (error) {
      // A script can tell a value that cannot be stored from a server that is broken, as every caller can.
      options.context.unitOfWork?.noteFailure(error);
      throw translateDatabaseError(error);
    }
  };
}

function operationsOf(options: HostOptions): HostOperations {
  const { context, resources, isAlone = false } = options;
  const everywhere = { ...options.operations, ...loggers(options.log), ...moduleOperations(options.library) };
  if (isAlone) return everywhere;
  return {
    ...everywhere,
    ...resourceOperations(
      new Connection(resources, context),
      (link) => new Connection(resources, contextFrom(context, link)),
    ),
    ...cryptoOperations(options.crypto),
    'identityServer.getProperty': ([name, byDefault]) => {
      const value = options.properties.get(String(name));
      return value === undefined ? (byDefault ?? null) : substitute(value, options.properties).value;
    },
    'identityServer.getWorkingLocation': () => options.settings.workingLocation,
    'identityServer.getProjectLocation': () => options.settings.projectLocation,
    'identityServer.getInstallLocation': () => options.settings.installLocation,
  };
}

function moduleOperations(library: ScriptLibrary): HostOperations {
  return {
    'load.resolve': async ([path]) => ({ ...(await library.findFile(String(path))) }),
    'require.resolve': async ([name, requiring]) => ({
      ...(await library.resolveModule(String(name), typeof requiring === 'string' ? requiring : null)),
    }),
  };
}

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

function loggers(log: HostOptions['log']): HostOperations {
  const logger =
    (level: LogLevel) =>
    ([message]: JsonValue[]) => {
      log(level, String(message));
      return null;
    };
  return {
    'console.log': logger('info'),
    ...Object.fromEntries(LEVELS.map((level) => [`logger.${level}`, logger(level)])),
  };
}

function cryptoOperations(crypto: Crypto): HostOperations {
  const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : null);
  return {
    'svc.encrypt': ([value, cipher, alias]) => crypto.encrypt(value ?? null, text(cipher), text(alias)),
    'svc.decrypt': ([value]) => crypto.decrypt(value ?? null),
    'svc.hash': ([value, algorithm]) => crypto.hash(value ?? null, text(algorithm)),
    // Scripts of the field take any envelope for encrypted, and hash or encrypt again what is none.
    'svc.isEncrypted': ([value]) => crypto.isEncrypted(value ?? null) || crypto.isHashed(value ?? null),
    'svc.isHashed': ([value]) => crypto.isHashed(value ?? null),
    'svc.generateRandomString': ([rules, length]) => randomString(rules ?? null, length ?? null),
    'svc.matches': ([plain, hashed]) => crypto.matches(String(plain), hashed ?? null),
  };
}
