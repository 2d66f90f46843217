import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { type Client, NotFoundError, SvcError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { readText } from './connection.ts';
import { isTable, ListWriter, say } from './output.ts';
import { commandOf } from './verb.ts';

/** What a file would do to what a node has. */
interface Planned {
  /** Such as `config/managed`, `script/access.js`. */
  readonly resource: string;
  readonly file: string;
  readonly outcome: 'same' | 'new' | 'changed' | 'refused';
  /** What would change, and what is wrong with it. */
  readonly says: readonly string[];
}

interface ConfigPlan {
  readonly findings: readonly { readonly message: string; readonly line?: number }[];
  readonly warnings: readonly { readonly message: string }[];
  readonly changes: readonly { readonly path: string; readonly from?: unknown }[];
  readonly effects: readonly { readonly text?: string }[];
}

interface Replaced {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

interface Deployed {
  readonly result: { readonly unchanged?: boolean };
  readonly changes: readonly { readonly after?: { readonly replaces?: Replaced } | null }[];
}

/** Configurations of which there are several: `schedule-nightly.json` is `config/schedule/nightly`. */
const FAMILY = /^(endpoint|mapping|provisioner\.\w+|schedule)-(.+)$/;
const SIGNS = { same: ' ', new: '+', changed: '~', refused: '✗' } as const;

/** `svc plan [<folder>]` */
export const plan = commandOf(
  'plan',
  'tell what the files of a project folder would change at a node',
  {
    does: 'ends with 0 where they change nothing, with 1 where they do or one is refused; it changes nothing itself',
    takes: ['[<folder>]'],
    example: 'svc plan . -o table',
    async run({ client, form }, folder = '.') {
      const files = filesOf(folder);
      const counts = { same: 0, new: 0, changed: 0, refused: 0 };
      const writer = new ListWriter(form, undefined);
      // A node compiles each, and looks at the objects of each type.
      const tellsProgress = process.stderr.isTTY === true;
      for (const [at, [file, planOf]] of files.entries()) {
        if (tellsProgress) process.stderr.write(`\r\x1b[K${at + 1}/${files.length}  ${file}`);
        const planned = await planOf(client, file, folder).catch((error: unknown) => refused(file, error));
        if (tellsProgress) process.stderr.write('\r\x1b[K');
        counts[planned.outcome] += 1;
        if (!isTable(form)) writer.show([{ _id: planned.resource, ...planned }]);
        else if (planned.outcome !== 'same') {
          say(`${SIGNS[planned.outcome]} ${planned.resource}`);
          for (const text of planned.says) say(`    ${text}`);
        }
      }
      const { same, new: made, changed, refused: wrong } = counts;
      if (isTable(form)) say(`${made} new, ${changed} changed, ${same} the same, ${wrong} refused`);
      return made + changed + wrong === 0 ? EXIT.OK : EXIT.FINDING;
    },
  },
  `It looks at conf/*.json, script/ and workflow/, as a node would with these files: types by the objects that there are, schedules
by their next times, scripts by compiling them, processes by what is wrong with them. What only the node has is left alone, and
secrets, which nobody can compare, are left out.`,
);

type PlanOf = (client: Client, file: string, folder: string) => Promise<Planned>;

function filesOf(folder: string): readonly (readonly [string, PlanOf])[] {
  const below = (name: string, ending: RegExp, isDeep: boolean) => {
    const place = join(folder, name);
    if (!existsSync(place)) return [];
    const names = readdirSync(place, { recursive: isDeep, encoding: 'utf8' });
    return names.filter((each) => ending.test(each)).map((each) => join(place, each));
  };
  const files = [
    ...below('conf', /\.json$/, false).map((file) => [file, planConfig] as const),
    ...below('script', /\.(?:js|groovy)$/, true).map((file) => [file, planScript] as const),
    ...below('workflow', /\.bpmn(?:20)?\.xml$/, false).map((file) => [file, planProcess] as const),
  ];
  if (files.length > 0) return files;
  throw new UsageError(`there are no files of a project in '${folder}': no conf/, script/ or workflow/`);
}

async function planConfig(client: Client, file: string): Promise<Planned> {
  const id = basename(file, '.json').replace(FAMILY, '$1/$2');
  const resource = `config/${id}`;
  let content: unknown;
  try {
    content = JSON.parse(readText(file, 'plan'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { resource, file, outcome: 'refused', says: [`it is no JSON: ${error.message}`] };
  }
  const planned = await client.send<ConfigPlan>({
    method: 'POST',
    path: ['config', ...id.split('/')],
    parameters: { _action: 'plan' },
    body: { content },
  });
  // What is sealed anew looks different each time.
  const changes = planned.changes.filter(({ path }) => !path.includes('/$crypto/'));
  const says = [
    ...planned.findings.map(({ message }) => message),
    ...changes.map(({ path }) => path),
    ...planned.effects.flatMap(({ text }) => text ?? []),
    ...planned.warnings.map(({ message }) => `warning: ${message}`),
  ];
  if (planned.findings.length > 0) return { resource, file, outcome: 'refused', says };
  const isNew = changes.some(({ path, from }) => path === '/' && from === undefined);
  const outcome = changes.length === 0 ? 'same' : isNew ? 'new' : 'changed';
  return { resource, file, outcome, says };
}

async function planScript(client: Client, file: string, folder: string): Promise<Planned> {
  const name = relative(join(folder, 'script'), file).split(sep).join('/');
  const resource = `script/${name}`;
  const source = readText(file, 'plan');
  const type = name.endsWith('.groovy') ? 'groovy' : 'text/javascript';
  const stored = await client
    .resource<{ readonly content: string }>('script/file')
    .read(name)
    .catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
  if (stored?.content === source) return { resource, file, outcome: 'same', says: [] };
  await client.resource('script').action('compile', { body: { type, source } });
  return { resource, file, outcome: stored === undefined ? 'new' : 'changed', says: [] };
}

async function planProcess(client: Client, file: string): Promise<Planned> {
  const { result, changes } = await client.send<Deployed>({
    method: 'POST',
    path: ['workflow', 'deployment'],
    parameters: { _action: 'deploy', _dryRun: 'true' },
    body: { name: basename(file), content: readText(file, 'plan') },
  });
  const resource = `workflow/${basename(file)}`;
  if (result.unchanged === true) return { resource, file, outcome: 'same', says: [] };
  const replaced = changes.flatMap(({ after }) => after?.replaces ?? []);
  const says = replaced.flatMap(({ added, removed, changed }) =>
    Object.entries({ added, removed, changed }).flatMap(([what, elements]) =>
      elements.length === 0 ? [] : [`${what}: ${elements.join(', ')}`],
    ),
  );
  return { resource, file, outcome: replaced.length === 0 ? 'new' : 'changed', says };
}

/** A file that the node would not take; who may not ask for it, and what is no answer at all, ends the command. */
function refused(file: string, error: unknown): Planned {
  if (!(error instanceof SvcError) || error.code === 401 || error.code === 403 || error.code >= 500)
    throw error;
  return { resource: file, file, outcome: 'refused', says: [error.message] };
}
