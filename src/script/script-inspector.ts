import { relative } from 'node:path';
import type { ConfigStore } from '#config/index.ts';
import { BadRequestError, didYouMean, factsOf, NotFoundError } from '#errors/index.ts';
import type { GroovyWarning } from '#groovy/index.ts';
import { formatPointer, isObject, type JsonValue, TextLines } from '#json/index.ts';
import { FIELD_SCRIPT, fieldScriptHint, lessHint } from './field-scripts.ts';
import { warningText } from './groovy-warning.ts';
import { type MemberCall, ScriptSyntaxError } from './javascript/index.ts';
import { modulePath } from './module-path.ts';
import { moduleExports, scriptFacts } from './script-facts.ts';
import { EXTENSION, openSources } from './script-library.ts';
import { parseScriptReference, type ScriptLanguage, type ScriptReference } from './script-reference.ts';
import type { ScriptFile, ScriptSources } from './script-sources.ts';
import { isShippedLibrary } from './shipped-libraries.ts';

/** Why a script that a configuration names cannot run, or may not run. */
export interface ScriptFault {
  readonly id: string;
  /** JSON pointer below the script reference. */
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  /** File, line and column, where that is a file of scripts. */
  readonly where?: string;
  readonly isWarning?: boolean;
}

interface Text {
  /** The file as the operator knows it; undefined for a script that stands in the configuration. */
  readonly place: string | undefined;
  /** The path of the script among the sources. */
  readonly id: string | null;
  readonly source: string;
  readonly lines: TextLines;
}

const FULL_TYPES: Readonly<Record<string, string>> = {
  javascript: 'text/javascript',
  ecmascript: 'text/javascript',
  'application/javascript': 'text/javascript',
};

/** The most tokens of a script that stands in a configuration, which the main thread looks at. */
const MOST_TOKENS = 30_000;

/** Looks at scripts without running anything of them: finds their files and modules, and compiles them. */
export class ScriptInspector {
  readonly #config: ConfigStore;
  readonly #projectLocation: string;

  constructor(config: ConfigStore, projectLocation: string) {
    this.#config = config;
    this.#projectLocation = projectLocation;
  }

  async inspect(json: JsonValue | undefined): Promise<readonly ScriptFault[]> {
    let reference: ScriptReference;
    try {
      reference = parseScriptReference(json);
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      const { id = 'SCRIPT_BAD_REFERENCE', field = '', hint } = factsOf(error);
      return [{ id, field, message: error.message, ...(hint === undefined ? {} : { hint }) }];
    }
    return [...typeFaults(json), ...(await this.#inspectReference(reference))];
  }

  /** What stands in a file of the sources; undefined where there is none. */
  async textOf(file: string): Promise<string | undefined> {
    return (await openSources(this.#config)?.find(file))?.text;
  }

  /** A file by its path among the sources; its name says the language. */
  async inspectFile(file: string): Promise<readonly ScriptFault[]> {
    const faults = await this.inspect({ file });
    return faults.map((fault) => ({ ...fault, field: '' }));
  }

  /** @throws BadRequestError for what cannot run */
  async compile(reference: ScriptReference): Promise<readonly string[]> {
    const faults = await this.#inspectReference(reference);
    const mistake = faults.find(({ isWarning }) => isWarning !== true);
    if (mistake !== undefined) throw new BadRequestError(mistake.message, { id: mistake.id });
    return faults.map(({ message }) => message);
  }

  async #inspectReference(reference: ScriptReference): Promise<readonly ScriptFault[]> {
    const sources = openSources(this.#config);
    // Without sources no script runs at all, which is told by itself.
    if (sources === undefined) return [];
    const { language, source, file, name } = reference;
    if (source !== undefined) {
      const faults = await this.#inspectText(
        { place: undefined, id: null, ...textOf(source) },
        language,
        sources,
      );
      return faults.map((fault) => ({ ...fault, field: fault.field === '' ? '/source' : fault.field }));
    }
    const path = file ?? name!;
    const field = file === undefined ? '/name' : '/file';
    try {
      const found = await sources.get(path, { extension: EXTENSION[language] });
      return (await this.#inspectText(this.#textOf(found), language, sources)).map((fault) => ({
        ...fault,
        field,
      }));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      const instead = fieldScriptHint(path);
      const hint = instead ?? factsOf(error).hint;
      return [
        {
          id: instead === undefined ? 'SCRIPT_FILE_NOT_FOUND' : FIELD_SCRIPT,
          field,
          message: error.message,
          ...(hint === undefined ? {} : { hint }),
        },
      ];
    }
  }

  #textOf({ path, absolutePath, text }: ScriptFile): Text {
    const inProject = relative(this.#projectLocation, absolutePath);
    return { place: inProject.startsWith('..') ? absolutePath : inProject, id: path, ...textOf(text) };
  }

  async #inspectText(
    text: Text,
    language: ScriptLanguage,
    sources: ScriptSources,
    seen = new Set<string>(),
  ): Promise<readonly ScriptFault[]> {
    const script = { name: text.place ?? 'the script', source: text.source };
    try {
      if (language === 'groovy') {
        const { compiledGroovy } = await import('./groovy-scripts.ts');
        return compiledGroovy(script).warnings.map((warning) => groovyWarning(warning, text));
      }
      const faults: ScriptFault[] = [];
      const { modules, calls } = scriptFacts(script, text.place === undefined ? MOST_TOKENS : undefined);
      for (const module of modules) {
        faults.push(...(await this.#inspectModule(module, text, sources, seen)));
      }
      for (const call of calls) faults.push(...(await this.#inspectCall(call, text, sources)));
      return faults;
    } catch (error) {
      if (!(error instanceof ScriptSyntaxError)) throw error;
      const { line, column } = error;
      const place = { where: `${text.place}:${line}:${column}` };
      const said = text.place === undefined ? ` (line ${line}, column ${column} of the script)` : '';
      const message = `the script does not compile: ${error.message}${said}`;
      return [{ id: 'SCRIPT_NOT_COMPILED', field: '', message, ...(text.place === undefined ? {} : place) }];
    }
  }

  async #inspectModule(
    { name, offset, isCertain }: { name: string; offset: number; isCertain: boolean },
    by: Text,
    sources: ScriptSources,
    seen: Set<string>,
  ): Promise<readonly ScriptFault[]> {
    const id = modulePath(name, by.id ?? '');
    if (seen.has(id)) return [];
    seen.add(id);
    const file = await sources.find(id);
    if (file !== undefined) {
      const less = file.absolutePath.startsWith(this.#config.locations.projectLocation)
        ? undefined
        : lessHint(id);
      if (less !== undefined) {
        const message = `'${name}' does less here than its name says`;
        return [{ id: 'SCRIPT_DOES_LESS', field: '', message, hint: less, isWarning: true }];
      }
      const faults = await this.#inspectText(this.#textOf(file), 'javascript', sources, seen);
      return isCertain ? faults : faults.map((fault) => ({ ...fault, isWarning: true }));
    }
    if (isShippedLibrary(id)) return [];
    const hint = fieldScriptHint(id);
    return [
      {
        id: 'SCRIPT_FILE_NOT_FOUND',
        field: '',
        message: `the script requires '${name}', which is in none of the script sources`,
        ...(hint === undefined ? {} : { hint }),
        ...placeOf(offset, by),
        ...(isCertain ? {} : { isWarning: true }),
      },
    ];
  }

  /** A function that a shipped module of the name lacks: those of the field had more than a script can do here. */
  async #inspectCall(
    { module, member, offset }: MemberCall,
    by: Text,
    sources: ScriptSources,
  ): Promise<readonly ScriptFault[]> {
    const names = await this.#exportsOf(module, sources);
    if (names === undefined || names.has(member) || member in Object.prototype) return [];
    return [
      {
        id: 'SCRIPT_NO_FUNCTION',
        field: '',
        message: `the script calls '${member}' of the module '${module}', which has no such function here`,
        hint: didYouMean(member, names) ?? `It has ${[...names].sort().join(', ')}`,
        ...placeOf(offset, by),
        isWarning: true,
      },
    ];
  }

  /** Undefined of what is not shipped, or not plain. */
  async #exportsOf(module: string, sources: ScriptSources): Promise<ReadonlySet<string> | undefined> {
    const file = await sources.find(module.endsWith('.js') ? module : `${module}.js`);
    if (file === undefined || file.absolutePath.startsWith(this.#config.locations.projectLocation)) {
      return undefined;
    }
    const names = moduleExports({ name: module, source: file.text });
    return typeof names === 'string' ? this.#exportsOf(names, sources) : names;
  }
}

function textOf(source: string): Pick<Text, 'source' | 'lines'> {
  return { source, lines: new TextLines(source) };
}

function placeOf(offset: number, { place, lines }: Text): { where?: string } {
  if (place === undefined) return {};
  const { line, column } = lines.positionAt(offset);
  return { where: `${place}:${line}:${column}` };
}

/** A warning that the compiler has given, such as of a class that is imported and used nowhere. */
function groovyWarning(warning: GroovyWarning, { place }: Text): ScriptFault {
  const { message, line, column } = warning;
  const fault = { id: 'SCRIPT_GROOVY_DOUBT', field: '', isWarning: true };
  return place === undefined
    ? { ...fault, message: warningText(warning) }
    : { ...fault, message, where: `${place}:${line}:${column}` };
}

function typeFaults(json: JsonValue | undefined): readonly ScriptFault[] {
  const type = isObject(json) ? json['type'] : undefined;
  const full = typeof type === 'string' ? FULL_TYPES[type.toLowerCase()] : undefined;
  if (full === undefined) return [];
  const message = `the script type ${JSON.stringify(type)} is taken for ${full}`;
  const field = formatPointer(['type']);
  return [{ id: 'SCRIPT_OLD_TYPE', field, message, hint: `Write "${full}"`, isWarning: true }];
}
