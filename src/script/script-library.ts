import { createHash } from 'node:crypto';
import { type ConfigStore, scriptConfig } from '#config/index.ts';
import { NotFoundError, NotSupportedError, ServiceUnavailableError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { FIELD_SCRIPT, fieldScriptHint } from './field-scripts.ts';
import type { ScriptSource } from './javascript/index.ts';
import { modulePath } from './module-path.ts';
import type { ScriptLanguage, ScriptReference } from './script-reference.ts';
import { ScriptSources } from './script-sources.ts';
import { isShippedLibrary, readShippedLibrary, shippedLibraryAt } from './shipped-libraries.ts';

/** What a file of that language ends with. */
export const EXTENSION: Readonly<Record<ScriptLanguage, string>> = { javascript: '.js', groovy: '.groovy' };

/** Names that always mean the server's own bindings, whatever `script.json` says. */
const RESERVED_PROPERTIES: readonly string[] = ['svc', 'identityServer', 'console'];

export interface ResolvedModule {
  /** The path of the script, with extension. */
  readonly id: string;
  readonly source: string;
  /** The same in every run, so that it is evaluated once. */
  readonly isShared: boolean;
}

/** Finds what scripts are made of, as `script.json` says: source texts, modules, the variables all scripts see. */
export class ScriptLibrary {
  #active: { readonly sources: ScriptSources; readonly properties: JsonObject } | undefined;
  readonly #stopWatching: () => void;

  constructor(config: ConfigStore) {
    this.#active = activate(config);
    this.#stopWatching = config.watchOnly(scriptConfig, () => {
      this.#active = activate(config);
    });
  }

  close(): void {
    this.#stopWatching();
  }

  /** @throws ServiceUnavailableError while the scripts are inactive */
  get properties(): JsonObject {
    return this.#require().properties;
  }

  /**
   * @param label names an inline script in messages; default: a hash of it
   * @throws NotFoundError for a file that is in no source, ServiceUnavailableError for such a name
   */
  async load(reference: ScriptReference, label?: string): Promise<ScriptSource> {
    const { sources } = this.#require();
    const { language, source, file, name, revision } = reference;
    const version = revision === undefined ? {} : { revision };
    if (source !== undefined) return { name: label ?? hashOf(source, language), source, ...version };
    const options = { extension: EXTENSION[language], revision };
    if (file !== undefined) {
      const { text } = await sources.get(file, options).catch((error: unknown) => {
        throw asFieldScript(error, file);
      });
      return { name: file, source: text, ...version };
    }
    const found = await sources.find(name!, options);
    if (found === undefined) throw notActive(name!);
    return { name: name!, source: found.text, ...version };
  }

  /**
   * The module at a path in the sources (`modulePath`). What no source has may be a shipped library.
   *
   * @throws NotFoundError when there is no such module
   */
  async resolveModule(name: string, requiring: string | null): Promise<ResolvedModule> {
    const id = modulePath(name, requiring ?? '');
    const { sources } = this.#require();
    const library = isShippedLibrary(id) ? await sources.find(id) : await sources.get(id);
    return library === undefined
      ? { id, source: await readShippedLibrary(id), isShared: true }
      : { id, source: library.text, isShared: false };
  }

  /**
   * A file that a script loads: a path in the sources, or an absolute one that lies in one of them.
   *
   * @throws NotFoundError when no source has it
   */
  async findFile(path: string): Promise<{ readonly id: string; readonly source: string }> {
    const { sources } = this.#require();
    const id = sources.relativePath(path);
    const library = shippedLibraryAt(id);
    if (library === undefined) {
      const { path: found, text } = await sources.get(id);
      return { id: found, source: text };
    }
    const own = await sources.find(id);
    return own === undefined
      ? { id: library, source: await readShippedLibrary(library) }
      : { id: own.path, source: own.text };
  }

  #require() {
    if (this.#active !== undefined) return this.#active;
    throw new ServiceUnavailableError(INACTIVE, { id: 'SCRIPT_SERVICE_INACTIVE' });
  }
}

/** A script of the field that is not here is nothing that anybody has lost. */
function asFieldScript(error: unknown, path: string): unknown {
  const hint = error instanceof NotFoundError ? fieldScriptHint(path) : undefined;
  if (hint === undefined) return error;
  return new NotSupportedError(`There is no '${path}' here`, { id: FIELD_SCRIPT, hint });
}

const INACTIVE = 'Scripts are inactive: script.json has no "ECMAScript"';

/** Why no script can run with this configuration; undefined when they can. */
export function scriptsInactive(config: ConfigStore): string | undefined {
  return config.get(scriptConfig).ECMAScript === undefined ? INACTIVE : undefined;
}

export function notActive(name: string): ServiceUnavailableError {
  return new ServiceUnavailableError(`Script '${name}' is not active in the registry`, {
    id: 'SCRIPT_NOT_ACTIVE',
  });
}

/** Where scripts are looked for; undefined while they are inactive. */
export function openSources(config: ConfigStore): ScriptSources | undefined {
  return activate(config)?.sources;
}

function activate(config: ConfigStore) {
  const { ECMAScript, Groovy, sources, properties } = config.get(scriptConfig);
  if (ECMAScript === undefined) return undefined;
  const javascriptMs = ECMAScript['javascript.recompile.minimumInterval'];
  const groovyMs = Groovy['groovy.recompile'] ? Groovy['groovy.recompile.minimumInterval'] : -1;
  const shown: JsonObject = {};
  for (const [name, value] of Object.entries(properties)) {
    if (!RESERVED_PROPERTIES.includes(name)) shown[name] = value;
  }
  return {
    properties: shown,
    sources: new ScriptSources(
      Object.entries(sources).map(([name, { directory }]) => ({ name, directory })),
      (path) => (path.endsWith(EXTENSION.groovy) ? groovyMs : javascriptMs),
      Date.now,
      (path) => (path.endsWith(EXTENSION.groovy) ? Groovy['groovy.source.encoding'] : 'utf-8'),
      config.scripts,
    ),
  };
}

function hashOf(source: string, language: ScriptLanguage): string {
  return createHash('sha1').update(source).update(language).digest('hex').toUpperCase();
}
