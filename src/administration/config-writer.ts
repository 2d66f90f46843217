import { setImmediate } from 'node:timers/promises';
import {
  type CheckedText,
  type ConfigStore,
  definitionOf,
  type PlannedEffect,
  type RouterConfig,
  revisionOf,
  scheduleConfig,
} from '#config/index.ts';
import type { Database, Db, UnitOfWork } from '#database/index.ts';
import {
  BadRequestError,
  errorIdOf,
  type Finding,
  formatFinding,
  PreconditionFailedError,
  ResourceError,
} from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type Context,
  type Request,
  requireSameId,
  requireStorableSize,
  writeContext,
} from '#resource/index.ts';
import { deleteOverride, lockOverrides, putOverride, versionOf } from './config-override-repository.ts';
import { listChanges } from './list-changes.ts';
import { requireNothingOpened } from './operator-keys.ts';
import type { OverrideSeals } from './override-seals.ts';
import { changedMeanwhile, requireCallerStays } from './require-caller-stays.ts';
import { type MeetFilters, requireWayBack } from './require-way-back.ts';
import { sealed, withKeptSecrets } from './seal-config.ts';

export interface ConfigWriterOptions {
  readonly store: ConfigStore;
  readonly database: Database;
  /** Encrypts the secrets of a configuration that are still plain. */
  readonly protect: (id: string, content: JsonObject) => Promise<JsonObject>;
  readonly seals: OverrideSeals;
  readonly meetFilters: MeetFilters;
  /** The versions of the overrides that are in force here. */
  readonly versions: () => ReadonlyMap<string, string>;
  /** Whether the caller may evaluate scripts. */
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
  /** @throws ForbiddenError unless the caller may have the server run what stands at the JSON pointer */
  readonly requireScriptRight: (context: Context, field: string) => Promise<void>;
  /** Brings changes in force, here and on all other nodes. */
  readonly activate: () => Promise<void>;
}

/** What is to become of a configuration. */
export interface ConfigWrite {
  readonly id: string;
  readonly operation: 'create' | 'update' | 'delete';
  readonly isPatch?: boolean;
  /** The revision that it must have until then; null for any. */
  readonly revision: string | null;
  /** What was sent; null to delete it. Where it is left out, what the file has. */
  readonly sent?: JsonObject | null;
}

/** A content that was looked at, as it is to be stored; null for none. */
interface Looked extends CheckedText {
  readonly content: JsonObject | null;
}

/** What is shown of a configuration that was written; nothing of one that is gone. */
interface ConfigWritten {
  readonly shown: JsonObject | null;
  readonly revision: string | null;
  /** What is doubtful about it. */
  readonly warnings: readonly string[];
}

export interface ConfigPlanned {
  /** Why it would be refused. */
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  readonly effects: readonly PlannedEffect[];
}

const NOT_TRIED: Finding = {
  id: 'CONFIG_NOT_TRIED',
  where: '',
  message: 'Whether they could be put back through these filters was not tried',
  hint: 'Their scripts are run for whoever may evaluate scripts',
};

/** What each unit of work has written already: that nobody else has changed. */
const WRITTEN = new WeakMap<UnitOfWork, Set<string>>();

/** Changes configurations for all nodes: each is checked as if it were in force, stored, and comes in force after the commit. */
export class ConfigWriter {
  readonly #options: ConfigWriterOptions;
  readonly #context: Context;
  readonly #parameters: Request['parameters'];
  /** The versions of what the caller has been shown, and of what a change is made of. */
  readonly #versions: ReadonlyMap<string, string>;

  constructor(options: ConfigWriterOptions, context: Context, { parameters }: Request) {
    this.#options = options;
    this.#context = context;
    this.#parameters = parameters;
    this.#versions = options.versions();
  }

  /**
   * @throws BadRequestError `CONFIG_INVALID` with all findings
   * @throws PreconditionFailedError `CONFIG_REVISION`
   */
  async write(write: ConfigWrite): Promise<ConfigWritten> {
    const { store, seals, activate } = this.#options;
    const { unitOfWork, security } = writeContext(this.#context);
    const { id, operation, isPatch = false } = write;
    this.#requireRevision(write);
    // What the server says of a configuration may cost much: it looks at none that the caller may not write.
    if (write.sent !== undefined) await this.#requireRight(write, write.sent);
    const { content, findings, warnings, value } = await this.#look(write);
    if (write.sent === undefined) await this.#requireRight(write, content);
    if (findings.length > 0) throw invalid(id, content, findings);
    await this.#requireWays(id, content, value);
    const db = await unitOfWork.db();
    await lockOverrides(db);
    await this.#requireUnchanged(db, write);
    if (write.sent === undefined) await deleteOverride(db, id);
    else {
      const stored = content === null ? { content: null, sealed: null } : await seals.seal(id, content);
      await putOverride(db, { id, ...stored }, security.authenticationId);
    }
    const shown = content === null ? null : sealed(id, content);
    const before = store.findRaw(id);
    unitOfWork.record({
      resource: `config/${id}`,
      operation,
      isPatch,
      before: before === undefined ? null : sealed(id, asObject(before)),
      after: shown,
    });
    unitOfWork.afterCommit(`configuration ${id}`, activate);
    const revision = content === null ? null : revisionOf(content);
    return { shown, revision, warnings: warnings.map(({ message }) => message) };
  }

  /** What `write` would refuse and do, and what would follow from it; nothing changes. */
  async plan(write: ConfigWrite): Promise<ConfigPlanned> {
    const { store } = this.#options;
    const { id } = write;
    this.#requireRevision(write);
    const { content, warnings, value, ...looked } = await this.#look(write);
    const isTaken = looked.findings.length === 0;
    // To try filters is to run scripts that the caller has sent.
    const isTried = id !== 'router' || (await this.#options.maySeeScripts(this.#context));
    const lost = isTaken && isTried ? await this.#waysLost(id, content, value) : [];
    const findings = isTaken ? lost : looked.findings;
    const raw = store.findRaw(id);
    return {
      findings,
      warnings: [
        ...warnings.map(({ finding, message }) => finding ?? { id: 'CONFIG_DOUBT', where: '', message }),
        ...(isTaken && !isTried ? [NOT_TRIED] : []),
      ],
      before: raw === undefined ? null : sealed(id, asObject(raw)),
      after: content === null ? null : sealed(id, content),
      effects: isTaken ? await store.effectsOf(id, content === null ? undefined : value) : [],
    };
  }

  async #waysLost(id: string, content: JsonObject | null, value: unknown): Promise<readonly Finding[]> {
    try {
      await this.#requireWays(id, content, value);
      return [];
    } catch (error) {
      if (!(error instanceof ResourceError) || error.code >= 500) throw error;
      const { hint } = asObject(error.toJSON().detail);
      return [
        {
          id: String(errorIdOf(error)),
          where: '',
          message: error.message,
          ...(typeof hint === 'string' ? { hint } : {}),
        },
      ];
    }
  }

  /** The configuration with secrets in their places, as the schema and the parts of the server see it. */
  async #look({ id, sent }: ConfigWrite): Promise<Looked> {
    const { store, protect } = this.#options;
    if (sent === undefined) {
      const text = store.fileText(id);
      if (text === undefined && id.includes('/')) return this.#lookAtRemoval(id);
      const looked = await store.check(id, text ?? '{}');
      return { ...looked, content: asObject(looked.raw) };
    }
    if (sent === null && id.includes('/')) return this.#lookAtRemoval(id);
    if (sent === null) return { ...(await store.check(id, '{}')), content: null };
    const given = withoutWarnings(sent, store.definitions.has(definitionOf(id)));
    requireSameId(given, id);
    requireNothingOpened(store, id, given);
    const before = asObject(store.findRaw(id));
    const kept = withKeptSecrets(id, withoutIdentity(given), withoutIdentity(before), {
      properties: store.properties.ofFiles,
      client: this.#context.client,
    });
    const content = await protect(id, kept);
    requireStorableSize(`config/${id}`, content, store.findRaw(id));
    await setImmediate();
    return { ...(await store.check(id, JSON.stringify(content, null, 2))), content };
  }

  #lookAtRemoval(id: string): Looked {
    return { findings: this.#options.store.removals.ask(id), warnings: [], content: null };
  }

  /**
   * A configuration is code: hooks, filters, SQL, where scripts are, who is an administrator. Of schedules, and of what no part of the
   * server reads, it is what is invoked. It may be left as it is shown, so that nobody finds out by this whether a secret is what they think.
   */
  async #requireRight({ id, sent }: ConfigWrite, content: JsonObject | null): Promise<void> {
    const { store, requireScriptRight } = this.#options;
    const definition = definitionOf(id);
    const isCode = definition !== scheduleConfig.id && store.definitions.has(definition);
    if (!isCode && content === null) return;
    const codeOf = (whole: JsonObject) => {
      const code = withoutIdentity(whole);
      return isCode ? code : invokedBy(code);
    };
    const before = asObject(store.findRaw(id));
    const [change] =
      sent === undefined
        ? listChanges(codeOf(before), codeOf(content ?? {}))
        : listChanges(
            codeOf(sealed(id, before)),
            codeOf(withoutWarnings(sent ?? {}, store.definitions.has(definition))),
          );
    if (change !== undefined) await requireScriptRight(this.#context, String(change['path']));
  }

  /** Whoever changes who may come in, and what is asked on the way, can still put it right. */
  async #requireWays(id: string, content: JsonObject | null, value: unknown): Promise<void> {
    const before = asObject(this.#options.store.findRaw(id));
    if (id === 'authentication') requireCallerStays(this.#context, this.#parameters, before, content ?? {});
    if (id === 'router') {
      const { meetFilters } = this.#options;
      const context = writeContext(this.#context);
      await requireWayBack(context, this.#parameters, before, value as RouterConfig, meetFilters);
    }
  }

  #requireRevision({ id, revision }: ConfigWrite): void {
    const current = this.#options.store.revisionOf(id);
    if (revision === null || revision === current) return;
    throw new PreconditionFailedError(`Revision '${revision}' of 'config/${id}' is not the current one`, {
      id: 'CONFIG_REVISION',
      hint: current === null ? 'There is none' : `Read it again: it is at revision '${current}' now`,
    });
  }

  /** What was looked at is what is replaced, though another node may have been faster. */
  async #requireUnchanged(db: Db, { id }: ConfigWrite): Promise<void> {
    const { unitOfWork } = writeContext(this.#context);
    const own = WRITTEN.get(unitOfWork) ?? new Set();
    if (own.has(id)) return;
    WRITTEN.set(unitOfWork, own.add(id));
    if ((await versionOf(db, id)) === (this.#versions.get(id) ?? null)) return;
    throw changedMeanwhile(id);
  }
}

function invalid(id: string, content: JsonObject | null, findings: readonly Finding[]): BadRequestError {
  return new BadRequestError(
    content === null
      ? `Configuration '${id}' cannot be deleted: ${id.includes('/') ? 'another one needs it' : 'the server needs it'}`
      : `Configuration '${id}' has ${findings.length} ${findings.length === 1 ? 'error' : 'errors'}`,
    { id: 'CONFIG_INVALID', detail: { findings: findings.map(formatFinding) } },
  );
}

export function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** What an answer has told may come back with it. */
function withoutWarnings({ warnings, ...content }: JsonObject, isRead: boolean): JsonObject {
  return warnings === undefined || isRead ? content : { ...content, warnings };
}

function invokedBy({ invokeService = null, invokeContext = null }: JsonObject): JsonObject {
  return { invokeService, invokeContext };
}

function withoutIdentity({ _id, _rev, _origin, _effective, ...content }: JsonObject): JsonObject {
  return content;
}
