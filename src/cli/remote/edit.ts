import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, ConflictError, type JsonObject, type PatchOperation, SvcError } from '#client/index.ts';
import { EXIT } from '../command.ts';
import { complain } from '../typed-name.ts';
import { UsageError } from '../usage-error.ts';
import { exportedFields, withoutDerived } from './apply/exported-fields.ts';
import { isSame } from './apply/reference.ts';
import { agreed, DRY_RUN } from './change.ts';
import { readText } from './connection.ts';
import { isTable, say } from './output.ts';
import { isRecord } from './profiles.ts';
import { isTerminal } from './prompt.ts';
import { type Asked, pathOf } from './remote-command.ts';
import { showAnswer } from './report.ts';
import { runEditor } from './run-editor.ts';
import { commandOf } from './verb.ts';
import { yamlText } from './yaml-text.ts';

const MOST_ROUNDS = 10;

/** `svc edit <type> <id>` */
export const edit = commandOf(
  'edit',
  'edit an object, with VISUAL or EDITOR',
  {
    does: 'a managed type, or a configuration such as config/schedule; shows what would change, and asks',
    takes: ['<type>', '<id>'],
    flags: { ...DRY_RUN, yes: { short: 'y', does: 'does not ask' } },
    example: 'svc edit role auditor',
    run: (asked, type: string, id: string) => editObject(asked, pathOf(type), id),
  },
  `Somebody else may change the object meanwhile. What does not touch the same properties is kept as well; for what does, the
editor comes again and shows both. Secrets and what is derived are not shown, and stay. A text that is refused is kept,
and on a terminal the editor comes again with what is wrong.`,
);

/** The object as it was when the editor was opened. */
interface Seen {
  readonly revision: string;
  readonly content: JsonObject;
}

async function editObject(asked: Asked, path: string, id: string): Promise<number> {
  const { client, flags, form } = asked;
  const object = new Edited(client, path, id);
  const folder = mkdtempSync(join(tmpdir(), 'svc-edit-'));
  const file = join(folder, 'object.yaml');
  let base = await object.read();
  let [text, notes]: [string, readonly string[]] = [yamlText(base.content), []];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const head = [`${path}/${id} at revision ${base.revision}; as it stands here it will be.`, ...notes];
    const shown = `${head.map((line) => `# ${line}`).join('\n')}\n${text}\n`;
    writeFileSync(file, shown, { mode: 0o600 });
    await runEditor(file);
    text = readText(file, 'the editor');
    let mine: JsonObject;
    try {
      mine = await contentOf(text, file);
    } catch (error) {
      if (!(error instanceof UsageError) || !isTerminal()) throw kept(error, file);
      notes = [error.message];
      text = withoutHead(text);
      continue;
    }
    text = withoutHead(text);
    const names = changedNames(base.content, mine);
    if (names.length === 0) {
      rmSync(folder, { recursive: true });
      complain('Nothing was changed.');
      return EXIT.OK;
    }
    try {
      const merged = await object.rehearse(base, mine);
      if ('conflicts' in merged) {
        notes = merged.conflicts;
        base = merged.now;
        text = yamlText(merged.content);
        continue;
      }
      if (isTable(form) || flags['dry-run'] === true) showAnswer(merged.report, form);
      if (flags['dry-run'] !== true) {
        await agreed(flags, `Change ${path}/${id}?`);
        const answer = await object.write(merged.base, merged.content);
        if (isTable(form)) say(`${path}/${id}  ${String(Object(answer)['_rev'] ?? '')}`.trimEnd());
        else showAnswer(answer, form);
      }
      rmSync(folder, { recursive: true });
      return EXIT.OK;
    } catch (error) {
      const isRefused = error instanceof SvcError && error.code >= 400 && error.code < 500;
      if (!isRefused || !isTerminal()) throw kept(error, file);
      notes = [error.message, ...(error.hint === undefined ? [] : [error.hint])];
    }
  }
  throw kept(new UsageError('that was tried often enough'), file);
}

interface Merged {
  readonly base: Seen;
  readonly content: JsonObject;
  readonly report: unknown;
}

interface Clash {
  readonly now: Seen;
  /** What is now, with what nobody else has changed as it was edited. */
  readonly content: JsonObject;
  readonly conflicts: readonly string[];
}

/** An object at its node. */
class Edited {
  readonly #client: Client;
  readonly #path: string;
  readonly #id: string;
  #fields: readonly string[] | undefined;

  constructor(client: Client, path: string, id: string) {
    this.#client = client;
    this.#path = path;
    this.#id = id;
    if (!/^(?:managed|config)(?:\/[^/]+)?$/.test(path) || path === 'managed') {
      throw new UsageError(`svc edit is for managed types and configurations, not for ${path}`);
    }
  }

  async read(): Promise<Seen> {
    const [, type] = /^managed\/(.+)$/.exec(this.#path) ?? [];
    if (type !== undefined) this.#fields ??= await exportedFields(this.#client, type);
    const options = this.#fields === undefined ? {} : { fields: [...this.#fields, '_rev'] };
    const { _id, _rev, ...content } = await this.#client.resource(this.#path).read(this.#id, options);
    return { revision: _rev, content: withoutDerived(content) };
  }

  /** Tries what was edited; where somebody else was faster, beside that. */
  async rehearse(seen: Seen, mine: JsonObject): Promise<Merged | Clash> {
    let [base, content] = [seen, mine];
    for (;;) {
      try {
        return { base, content, report: await this.#send(base, content, true) };
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        const now = await this.read();
        if (now.revision === base.revision) throw error;
        const merged = merge(base.content, content, now.content);
        if (merged.conflicts.length > 0) return { now, ...merged };
        complain(`It is at revision ${now.revision} by now; what else was changed stays.`);
        [base, content] = [now, merged.content];
      }
    }
  }

  write(base: Seen, content: JsonObject): Promise<unknown> {
    return this.#send(base, content, false);
  }

  async #send(base: Seen, content: JsonObject, dryRun: boolean): Promise<unknown> {
    const objects = this.#client.resource(this.#path);
    const options = { revision: base.revision, dryRun };
    if (this.#fields === undefined) return objects.update(this.#id, content, options);
    return objects.patch(this.#id, operationsOf(base.content, content), options);
  }
}

function operationsOf(before: JsonObject, after: JsonObject): readonly PatchOperation[] {
  return changedNames(before, after).map((name): PatchOperation => {
    const field = `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    return Object.hasOwn(after, name)
      ? { operation: 'replace', field, value: after[name] }
      : { operation: 'remove', field };
  });
}

function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) =>
      Object.hasOwn(before, name) !== Object.hasOwn(after, name) || !isSame(before[name], after[name]),
  );
}

/** Property by property: who has changed one alone has it, and what both have made the same is no conflict. */
export function merge(
  base: JsonObject,
  mine: JsonObject,
  theirs: JsonObject,
): { readonly content: JsonObject; readonly conflicts: readonly string[] } {
  const content: Record<string, unknown> = { ...theirs };
  const conflicts: string[] = [];
  const elsewhere = new Set(changedNames(base, theirs));
  for (const name of changedNames(base, mine)) {
    if (elsewhere.has(name) && !isSame(mine[name], theirs[name])) {
      const [was, is] = [mine, theirs].map((of) => JSON.stringify(of[name]) ?? 'nothing');
      conflicts.push(`${name} was changed by somebody else, too: it is ${is}; you had ${was}`);
    } else if (Object.hasOwn(mine, name)) content[name] = mine[name];
    else delete content[name];
  }
  return { content, conflicts };
}

async function contentOf(text: string, file: string): Promise<JsonObject> {
  const { yamlDocuments } = await import('./apply/yaml-documents.ts');
  const [content, further] = yamlDocuments(text, `'${file}'`);
  if (content === undefined) throw new UsageError('the text is empty; nothing was changed');
  if (!isRecord(content) || further !== undefined) throw new UsageError(`'${file}' is no object`);
  return content;
}

function withoutHead(text: string): string {
  return text.replace(/^(?:#.*\n)+/, '').trimEnd();
}

/** Nobody writes a text twice. */
function kept(error: unknown, file: string): unknown {
  complain(`What you have written is kept in ${file}`);
  return error;
}
