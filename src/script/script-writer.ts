import { relative, resolve } from 'node:path';
import { type ConfigStore, isBelow, type ScriptTexts } from '#config/index.ts';
import type { Db } from '#database/index.ts';
import {
  BadRequestError,
  ConflictError,
  formatFinding,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
} from '#errors/index.ts';
import type { Context, WriteContext } from '#resource/index.ts';
import { type ListedScript, OVERRIDE, readScript, revisionOfText } from './script-files.ts';
import { ScriptInspector } from './script-inspector.ts';
import type { SourceDirectory } from './script-sources.ts';

/** Keeps scripts that are set through REST, and brings them to all nodes. */
export interface ScriptStore {
  /** Takes over what another node or thread has changed. */
  refresh(): Promise<void>;
  /** Holds all other changes until the end of the transaction. @returns whether the script is here as it is kept */
  lock(db: Db, path: string): Promise<boolean>;
  /** @param text null of one that is taken away; undefined for what the sources have */
  put(db: Db, path: string, text: string | null | undefined, by: string): Promise<void>;
  /** Brings changes in force, here and on all other nodes. */
  activate(): Promise<void>;
}

export interface ScriptWriterOptions {
  readonly config: ConfigStore;
  readonly store: ScriptStore;
  /** @throws ForbiddenError unless the caller may have the server run what stands at the JSON pointer */
  readonly requireScriptRight: (context: Context, field: string) => Promise<void>;
  /**
   * Whether the caller could write the rules of the server again, if this was their text.
   *
   * @throws whatever keeps them from being evaluated
   */
  readonly mayWriteRules: (context: WriteContext, text: string, path: string) => Promise<boolean>;
}

/** What is to become of a script. */
export interface ScriptWrite {
  readonly path: string;
  readonly operation: 'create' | 'update' | 'delete';
  /** The revision that it must have until then; null for any. */
  readonly revision: string | null;
  /** Null for none; undefined for what the sources have. */
  readonly text: string | null | undefined;
  /** The script as it is in force. */
  readonly before: ListedScript | undefined;
  readonly force: boolean;
}

/** The most scripts that can be set: all of them are in the memory of each thread. */
const MOST_SCRIPTS = 1_000;
const MOST_CHARACTERS = 16_000_000;
const LONGEST = 524_288;
const LONGEST_PATH = 200;
const DEEPEST = 10;
/** Where the server finds its rules. */
const RULES = 'script/access.js';

/** Changes scripts for all nodes: each is looked at with all that uses it, stored, and comes in force after the commit. */
export class ScriptWriter {
  readonly #options: ScriptWriterOptions;
  readonly #inspector: ScriptInspector;

  constructor(options: ScriptWriterOptions) {
    this.#options = options;
    this.#inspector = new ScriptInspector(options.config, options.config.locations.projectLocation);
  }

  /**
   * @param sources as `script.json` declares them
   * @returns what is doubtful about it
   * @throws BadRequestError `SCRIPT_FILE_INVALID` with all findings
   */
  async write(
    context: WriteContext,
    sources: readonly SourceDirectory[],
    write: ScriptWrite,
  ): Promise<readonly string[]> {
    const { config, store, requireScriptRight } = this.#options;
    const { unitOfWork, security } = context;
    const { path, operation, text, before } = write;
    await requireScriptRight(context, '/content');
    requirePath(path, sources);
    const content = before === undefined ? undefined : await readScript(before);
    requireRevision(write, content);
    const texts = laidOver(config.scripts.texts, path, text);
    requireRoom(texts, path, text);
    const db = await unitOfWork.db();
    if (!(await store.lock(db, path))) {
      throw new ConflictError(`'script/file/${path}' was changed by somebody else at the same moment`, {
        id: 'SCRIPT_FILE_CHANGED',
        hint: 'Read it again, and repeat the change',
      });
    }
    const warnings = await this.#look(path, texts);
    await this.#requireWayBack(context, texts, write);
    await store.put(db, path, text, security.authenticationId);
    const after = await config.scripts.trying(texts, () => this.#inspector.textOf(path));
    unitOfWork.record({
      resource: `script/file/${path}`,
      operation,
      before: content === undefined ? null : { content },
      after: after === undefined ? null : { content: after },
    });
    unitOfWork.afterCommit(`script ${path}`, () => store.activate());
    return warnings;
  }

  /** What would be wrong with it, and with what uses it, that is not wrong now. */
  async #look(path: string, texts: ScriptTexts): Promise<readonly string[]> {
    const { config } = this.#options;
    const known = new Set((await config.checkAll()).flatMap(({ findings }) => findings.map(formatFinding)));
    const { own, others } = await config.scripts.trying(texts, async () => ({
      own: (await this.#inspector.textOf(path)) === undefined ? [] : await this.#inspector.inspectFile(path),
      others: (await config.checkAll()).flatMap(({ findings }) => findings.map(formatFinding)),
    }));
    const mistakes = own.filter(({ isWarning }) => isWarning !== true);
    const findings = [
      ...mistakes.map(({ id, message, where = `script/${path}`, hint }) =>
        formatFinding({ id, message, where, ...(hint === undefined ? {} : { hint }) }),
      ),
      ...others.filter((finding) => !known.has(finding)),
    ];
    if (findings.length === 0) {
      return own.filter(({ isWarning }) => isWarning === true).map(({ message }) => message);
    }
    const [first] = mistakes;
    const [, line, column] = /:(\d+):(\d+)$/.exec(first?.where ?? '') ?? [];
    throw new BadRequestError(
      first === undefined ? `'${path}' is needed as it is: ${findings[0]}` : `'${path}': ${first.message}`,
      {
        id: 'SCRIPT_FILE_INVALID',
        hint: 'Nothing has changed. What uses it is told by ?_action=usages',
        detail: {
          findings: [...new Set(findings)],
          ...(line === undefined ? {} : { line: Number(line), column: Number(column) }),
        },
      },
    );
  }

  /** Whoever changes the rules can still put them right. */
  async #requireWayBack(
    context: WriteContext,
    texts: ScriptTexts,
    { path, force }: ScriptWrite,
  ): Promise<void> {
    const { config, mayWriteRules } = this.#options;
    const text = await config.scripts.trying(texts, () => this.#inspector.textOf(RULES));
    if (text === (await this.#inspector.textOf(RULES))) return;
    if (text === undefined) {
      throw new ConflictError(`Without '${path}' there would be no rules`, {
        id: 'ACCESS_LOCKS_OUT',
        hint: 'Write other rules in their place',
      });
    }
    let mayWrite: boolean;
    try {
      mayWrite = await mayWriteRules(context, text, path);
    } catch (error) {
      throw new BadRequestError(
        `'${RULES}' has no rules: ${error instanceof Error ? error.message : error}`,
        {
          id: 'SCRIPT_FILE_INVALID',
          cause: error,
        },
      );
    }
    if (mayWrite || force || !context.client.isExternal) return;
    throw new ConflictError('By these rules you could not put back those that are in force', {
      id: 'ACCESS_LOCKS_OUT',
      hint: `Have them grant you create and update of 'script/file/${path}', or send force=true`,
    });
  }
}

function laidOver(texts: ScriptTexts, path: string, text: string | null | undefined): ScriptTexts {
  const laid = new Map(texts);
  if (text === undefined) laid.delete(path);
  else laid.set(path, text);
  return laid;
}

function requireRevision({ path, revision }: ScriptWrite, content: string | undefined): void {
  const current = content === undefined ? null : revisionOfText(content);
  if (revision === null || revision === current) return;
  throw new PreconditionFailedError(
    `Revision '${revision}' of 'script/file/${path}' is not the current one`,
    {
      id: 'SCRIPT_FILE_REVISION',
      hint: current === null ? 'There is none' : `Read it again: it is at revision '${current}' now`,
    },
  );
}

function requireRoom(texts: ScriptTexts, path: string, text: string | null | undefined): void {
  const bytes = Buffer.byteLength(text ?? '');
  if (bytes > LONGEST) {
    throw new PayloadTooLargeError(
      `The script has ${bytes} bytes; a script that is set here has ${LONGEST} at most`,
      {
        id: 'SCRIPT_FILE_TOO_LONG',
        hint: 'Put it into a file of the project',
      },
    );
  }
  const all = [...texts].reduce((sum, [name, each]) => sum + name.length + (each?.length ?? 0), 0);
  if (texts.size <= MOST_SCRIPTS && all <= MOST_CHARACTERS) return;
  throw new PayloadTooLargeError(
    `With '${path}' there would be ${texts.size} scripts of ${all} characters; ${MOST_SCRIPTS} of ${MOST_CHARACTERS} can be set here`,
    {
      id: 'SCRIPT_FILES_TOO_MANY',
      hint: 'Put some into files of the project, and take them back here with revertToFile',
    },
  );
}

/** Plain names only: whatever the disk of a node makes of others. */
function requirePath(path: string, sources: readonly SourceDirectory[]): void {
  const parts = path.split('/');
  const isPlain =
    path.length <= LONGEST_PATH &&
    parts.length <= DEEPEST &&
    parts.every((part) => /^[A-Za-z0-9_][\w.-]*$/.test(part)) &&
    !parts.includes('node_modules') &&
    /\.(?:js|groovy)$/.test(path);
  if (!isPlain) {
    throw new BadRequestError(`'${path.slice(0, LONGEST_PATH)}' is no path of a script`, {
      id: 'SCRIPT_FILE_BAD_PATH',
      hint: `Letters, digits, '_', '-' and '.', folders with '/', and .js or .groovy at the end, ${LONGEST_PATH} characters at most`,
    });
  }
  const [first] = sources.toReversed();
  if (first === undefined) return;
  const root = resolve(first.directory);
  for (const { directory } of sources) {
    const file = resolve(directory, path);
    if (resolve(directory) === root || !isBelow(root, file)) continue;
    throw new BadRequestError(`'${path}' is called '${relative(root, file)}' here`, {
      id: 'SCRIPT_FILE_BAD_PATH',
      hint: `Write script/file/${relative(root, file)}`,
    });
  }
}

/** @throws NotFoundError of what is that of its file already */
export function requireSet(texts: ScriptTexts, path: string): void {
  if (texts.has(path)) return;
  throw new NotFoundError(`Nothing was set at 'script/file/${path}'`, {
    id: 'SCRIPT_FILE_NOT_SET',
    hint: `Only what has the source '${OVERRIDE}', or was deleted, is taken back`,
  });
}
