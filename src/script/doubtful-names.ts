import { didYouMean, factsOf, NotFoundError } from '#errors/index.ts';
import type { Doubt, ScriptScope } from './diagnosis.ts';
import { type NameUses, SERVER_OBJECTS, type ServerFunction } from './javascript/index.ts';
import { insteadOfName } from './script-error.ts';

/** How many modules of one script are looked for on the disk. */
const MOST_MODULES = 100;

/** What is doubtful about the names of a script: unknown, unused, called as nobody can. */
export function doubtfulNames(uses: NameUses, known: ReadonlySet<string>, scope: ScriptScope): Doubt[] {
  // A file that is loaded shares variables with the script, and which ones shows when it runs.
  const isShared = uses.free.some(({ name }) => name === 'load');
  const isOpen = scope.takesOthers || isShared;
  return [
    ...(isOpen ? [] : unknownNames(uses, known)),
    ...uses.members.flatMap((use) => doubtfulCall(use)),
    ...uses.unused
      .filter(({ isTop }) => !isTop || !(scope.keepsVariables || isShared))
      .map(({ name, at }) => ({
        at,
        length: name.length,
        id: 'SCRIPT_UNUSED_VARIABLE',
        message: `The variable '${name}' is never read`,
        hint: 'Leave it out, or let its name begin with _',
      })),
  ];
}

function unknownNames({ free, assigned }: NameUses, known: ReadonlySet<string>): Doubt[] {
  const hints = new Map<string, string | undefined>();
  return free
    .filter(({ name }) => !known.has(name) && !assigned.has(name))
    .map(({ name, at }) => {
      if (!hints.has(name)) hints.set(name, insteadOfName(name) ?? didYouMean(name, known));
      return {
        at,
        length: name.length,
        id: 'SCRIPT_UNKNOWN_NAME',
        message: `Nothing here is called '${name}'`,
        hint: hints.get(name),
      };
    });
}

function doubtfulCall({ object, name, at, given, functions }: NameUses['members'][number]): Doubt[] {
  const found = Object.hasOwn(SERVER_OBJECTS, object) ? SERVER_OBJECTS[object] : undefined;
  if (found === undefined || name in Object.prototype) return [];
  const place = { at, length: name.length };
  const declared = Object.hasOwn(found.functions, name) ? found.functions[name] : undefined;
  if (declared === undefined) {
    const names = Object.keys(found.functions);
    const message = `${object} has no '${name}'`;
    const hint = didYouMean(name, names) ?? `It has ${names.join(', ')}`;
    return [{ ...place, id: 'SCRIPT_UNKNOWN_FUNCTION', message, hint }];
  }
  if (given === undefined || fits(declared, given, given - functions)) return [];
  const message = `${object}.${name} takes ${count(declared)}, and is given ${given}`;
  return [
    {
      ...place,
      id: 'SCRIPT_WRONG_ARGUMENTS',
      message,
      hint: `Write ${object}.${signatureOf(name, declared)}`,
    },
  ];
}

/** Functions among the arguments are left out by those that look at them. */
function fits({ least, parameters, isOpen }: ServerFunction, given: number, values: number): boolean {
  const most = isOpen === true ? Number.POSITIVE_INFINITY : Object.keys(parameters).length;
  return (given >= least && given <= most) || (values >= least && values <= most);
}

function count({ least, parameters, isOpen }: ServerFunction): string {
  const most = Object.keys(parameters).length;
  const number =
    isOpen === true ? `at least ${least}` : least === most ? String(most) : `${least} to ${most}`;
  return `${number} ${number === '1' ? 'argument' : 'arguments'}`;
}

/** Modules that are in none of the sources. */
export async function doubtfulModules(
  modules: readonly { readonly name: string; readonly offset: number }[],
  resolve: (name: string) => Promise<unknown>,
): Promise<Doubt[]> {
  const doubts: Doubt[] = [];
  for (const { name, offset } of modules.slice(0, MOST_MODULES)) {
    const missing = await resolve(name).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof NotFoundError) return error;
        throw error;
      },
    );
    if (missing === undefined) continue;
    const { hint } = factsOf(missing);
    const message = `The module '${name}' is in none of the script sources`;
    doubts.push({ at: offset, length: 'require'.length, id: 'SCRIPT_FILE_NOT_FOUND', message, hint });
  }
  return doubts;
}

/** The signature of a function as one writes it: what may be left out stands in brackets. */
export function signatureOf(name: string, { least, parameters, isOpen }: ServerFunction): string {
  const names = Object.keys(parameters);
  const needed = names.slice(0, least).join(', ');
  const others = [...names.slice(least), ...(isOpen === true ? ['…'] : [])];
  const optional = others.map((other, index) => `[${index > 0 || least > 0 ? ', ' : ''}${other}`).join('');
  return `${name}(${needed}${optional}${']'.repeat(others.length)})`;
}
