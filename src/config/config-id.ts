import { BadRequestError } from '#errors/index.ts';

/**
 * `<pid>` of a single configuration or `<factory>/<alias>` of one among many. The file is `<pid>.json` or
 * `<factory>-<alias>.json`: the first dash splits.
 */
export interface ConfigId {
  /** The pid, or the factory's name. */
  readonly name: string;
  readonly alias?: string;
}

/** Undefined when a file of that name is no configuration (another extension, hidden, an empty part). */
export function configIdOfFile(fileName: string): ConfigId | undefined {
  const [, name, alias] = /^([^.-][^-]*?)(?:-(.+))?\.json$/.exec(fileName) ?? [];
  if (name === undefined) return undefined;
  return alias === undefined
    ? { name: underscored(name) }
    : { name: underscored(name), alias: underscored(alias) };
}

export function formatConfigId({ name, alias }: ConfigId): string {
  return alias === undefined ? name : `${name}/${alias}`;
}

/**
 * Reads an id as REST gives it.
 *
 * @throws BadRequestError for an empty part, more than two parts, or a factory called router
 */
export function parseConfigId(path: string): ConfigId {
  const [name = '', alias, ...rest] = path.split('/').map(underscored);
  if (name === '' || alias === '' || rest.length > 0) {
    throw new BadRequestError(`'${path}' is not the id of a configuration`, {
      id: 'CONFIG_BAD_ID',
      hint: 'An id is <name> or <factory>/<alias>',
    });
  }
  if (alias !== undefined && !mayBeFactory(name)) {
    throw new BadRequestError(`There is only one configuration '${name}'`, { id: 'CONFIG_NO_FACTORY' });
  }
  return alias === undefined ? { name } : { name, alias };
}

/** The router is one; two of them would contradict each other. */
export function mayBeFactory(name: string): boolean {
  return name !== 'router';
}

function underscored(text: string): string {
  return text.replaceAll(' ', '_');
}

/** The name of the definition that an id is of: `schedule` of `schedule/nightly`. */
export function definitionOf(id: string): string {
  const slash = id.indexOf('/');
  return slash < 0 ? id : id.slice(0, slash);
}
