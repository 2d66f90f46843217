import { ActivationError, type Finding, formatFinding } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { CheckedReading } from './checked-reading.ts';
import type { ConfigChange, ConfigOverlay, OnConfigChange } from './config-change.ts';
import type { ConfigCheck } from './config-checks.ts';
import type { AnyConfigDefinition, ConfigDefinition, ConfigFactoryDefinition } from './config-definition.ts';
import type { ConfigFile } from './config-file.ts';
import { ConfigListeners } from './config-listeners.ts';
import { type ConfigPlanner, ConfigPlans, type PlannedEffect } from './config-plans.ts';
import { ConfigRemovals } from './config-removals.ts';
import type { ConfigReport, Report } from './config-report.ts';
import { fingerprintOf, isSameContent, revisionOf } from './config-text.ts';
import { shippedDefinitions } from './definitions/shipped-definitions.ts';
import {
  type ConfigSnapshot,
  indexDefinitions,
  inspectConfig,
  listSources,
  loadConfig,
  missingFile,
  type UnreadFile,
} from './load-config.ts';
import { MOST_FINDINGS } from './most-findings.ts';
import { type Locations, openProperties, type Properties, type PropertyOptions } from './property-source.ts';
import type { ConfigEntry, ReadingRules } from './read-config.ts';
import { type RefusedConfig, RefusedConfigs } from './refused-configs.ts';
import { ScriptOverlay } from './script-overlay.ts';
import { type ConfigOrigin, SeenFiles } from './seen-files.ts';

export interface ConfigOptions extends PropertyOptions {
  /** Default: the shipped ones. A feature adds its own. */
  readonly definitions?: readonly AnyConfigDefinition[];
  readonly report: Report;
}

type Warning = Extract<ConfigReport, { kind: 'config.warned' }>;

export interface CheckedText {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Warning[];
  /** The configuration as it is written, and what its schema makes of it, where nothing is wrong. */
  readonly raw?: JsonValue;
  readonly value?: unknown;
}

/** The configuration in force: checked as a whole at opening, then replaced piece by piece as files change. */
export class ConfigStore {
  /** The properties as scripts may see them. */
  readonly properties: Properties;
  readonly scripts = new ScriptOverlay();
  /** Asked before one of many configurations is deleted through `/config`. */
  readonly removals = new ConfigRemovals();
  readonly #locations: ConfigOptions['settings'];
  readonly #rules: ReadingRules;
  readonly #folders: readonly string[];
  readonly #listeners = new ConfigListeners();
  readonly refusals = new RefusedConfigs();
  readonly #checked: CheckedReading;
  /** Files that could not be read, of a store that was opened to be checked. */
  readonly #unread: readonly UnreadFile[];
  #overlay: ConfigOverlay = new Map();
  readonly #plans = new ConfigPlans();
  readonly #files: SeenFiles;
  #onFileEdited: (id: string) => Promise<void> = async () => {};
  #snapshot: ConfigSnapshot;
  #reloading: Promise<void> = Promise.resolve();

  private constructor(parts: {
    locations: ConfigOptions['settings'];
    rules: ReadingRules;
    properties: Properties;
    folders: readonly string[];
    snapshot: ConfigSnapshot;
    files: ReadonlyMap<string, ConfigFile>;
    unread?: readonly UnreadFile[];
  }) {
    this.properties = parts.properties;
    this.#locations = parts.locations;
    this.#rules = parts.rules;
    this.#checked = new CheckedReading(parts.rules);
    this.#folders = parts.folders;
    this.#snapshot = parts.snapshot;
    this.#files = new SeenFiles(parts.files);
    this.#unread = parts.unread ?? [];
  }

  /** @throws ActivationError with all findings of all files */
  static async open(options: ConfigOptions): Promise<ConfigStore> {
    const { settings: locations, report } = options;
    const definitions = indexDefinitions(options.definitions ?? shippedDefinitions);
    const { properties, findings: propertyFindings } = await openProperties(options);
    const rules: ReadingRules = { definitions, properties: properties.ofFiles, report };
    const listing = await listSources(locations, definitions);
    const { snapshot, findings } = loadConfig(listing, { ...rules, starting: true });
    if (propertyFindings.length + findings.length > 0) {
      // All at once, so also those that alone would leave only a part inactive.
      const all = loadConfig(listing, { ...rules, report: () => {} }).findings;
      throw new ActivationError([...propertyFindings, ...all]);
    }
    return new ConfigStore({
      locations,
      rules,
      properties,
      folders: listing.folders,
      snapshot,
      files: listing.files,
    });
  }

  /**
   * For a look without a node: opens whatever there is. What cannot be read is stood in for by what a node has without
   * the file, and told by `checkAll`.
   */
  static async inspect(options: ConfigOptions): Promise<ConfigStore> {
    const { settings: locations, report } = options;
    const definitions = indexDefinitions(options.definitions ?? shippedDefinitions);
    const { properties, findings } = await openProperties(options);
    const rules: ReadingRules = { definitions, properties: properties.ofFiles, report };
    const { files, folders } = await listSources(locations, definitions);
    const { snapshot, unread } = inspectConfig(files, rules);
    return new ConfigStore({
      locations,
      rules,
      properties,
      folders,
      snapshot,
      files,
      unread: [...findings.map((finding) => ({ id: '', findings: [finding] })), ...unread],
    });
  }

  get locations(): Locations {
    return this.#locations;
  }

  get<T>(definition: ConfigDefinition<T>): T {
    this.#requireKnown(definition);
    return this.#snapshot.get(definition.id)!.value as T; // It was made by this definition's schema.
  }

  list<T>(definition: ConfigFactoryDefinition<T>): readonly { readonly alias: string; readonly value: T }[] {
    this.#requireKnown(definition);
    const prefix = `${definition.id}/`;
    return [...this.#snapshot.values()]
      .filter((entry) => entry.id.startsWith(prefix))
      .map((entry) => ({ alias: entry.id.slice(prefix.length), value: entry.value as T }));
  }

  /** A configuration as it is written, references unresolved; undefined when there is none. */
  findRaw(id: string): JsonValue | undefined {
    return this.#snapshot.get(id)?.raw;
  }

  /** Names what `findRaw` has; null when there is nothing. */
  revisionOf(id: string): string | null {
    const raw = this.findRaw(id);
    return raw === undefined ? null : revisionOf(raw);
  }

  /** Where a configuration comes from. */
  originOf(id: string): ConfigOrigin {
    return this.#files.originOf(id, this.#overlay);
  }

  /** What the file has, whatever stands in front of it; undefined where there is none. */
  fileText(id: string): string | undefined {
    return this.#files.textOf(id);
  }

  /** What stands in the files and is not in force. */
  get refused(): readonly RefusedConfig[] {
    return this.refusals.list;
  }

  /** A hash of all that is in force: nodes that work by the same texts have the same. */
  get fingerprint(): string {
    return fingerprintOf(this.#snapshot.values());
  }

  ids(): readonly string[] {
    return [...this.#snapshot.keys()];
  }

  /** Asked of what is in force at the start, and of every new text before it comes in force. */
  addCheck<T>(definition: ConfigDefinition<T> | ConfigFactoryDefinition<T>, check: ConfigCheck<T>): void {
    this.#requireKnown(definition);
    this.#checked.checks.add(definition.id, check as ConfigCheck);
  }

  /** Asked what would follow from a change. */
  addPlanner<T>(
    definition: ConfigDefinition<T> | ConfigFactoryDefinition<T>,
    planner: ConfigPlanner<T>,
  ): void {
    this.#requireKnown(definition);
    this.#plans.add(definition.id, planner);
  }

  /** @param current as `check` has given it; undefined where the configuration would be gone */
  effectsOf(id: string, current: unknown): Promise<readonly PlannedEffect[]> {
    return this.#plans.effectsOf({ id, previous: this.#snapshot.get(id)?.value, current });
  }

  /** What is wrong with a text, and what is doubtful; nothing changes. */
  async check(id: string, text: string): Promise<CheckedText> {
    const warnings: Warning[] = [];
    const file = { id, file: `config/${id}`, content: { text } };
    const note: Report = (report) => {
      if (report.kind === 'config.warned' && warnings.length < MOST_FINDINGS) warnings.push(report);
    };
    const read = await this.#checked.read(file, note, this.#snapshot.get(id)?.value);
    if (!('entry' in read)) return { findings: read.findings, warnings };
    const { raw, value } = read.entry;
    return { findings: [], warnings, raw, value };
  }

  /** What is wrong with all there is, by id; what is doubtful is reported. */
  async checkAll(): Promise<readonly { readonly id: string; readonly findings: readonly Finding[] }[]> {
    const wrong: { id: string; findings: readonly Finding[] }[] = [];
    for (const { id, findings, written, file } of this.#unread) {
      const others = file === undefined ? [] : await this.#checked.askWritten(file, { findings, written });
      wrong.push({ id, findings: [...findings, ...others] });
    }
    const unread = new Set(this.#unread.map(({ id }) => id));
    for (const entry of this.#snapshot.values()) {
      if (!unread.has(entry.id)) wrong.push({ id: entry.id, findings: await this.#checked.ask(entry) });
    }
    return wrong.filter(({ findings }) => findings.length > 0);
  }

  /** What the parts of the server read, by name. */
  get definitions(): ReadonlyMap<string, AnyConfigDefinition> {
    return this.#rules.definitions;
  }

  /** Puts configurations in front of the files; they come in force with the next `reload`. */
  setOverlay(overlay: ConfigOverlay): void {
    this.#overlay = overlay;
  }

  /** Told when somebody edits a file that the overlay hides: the newer of the two deliberate acts should win. */
  onFileEdited(listener: (id: string) => Promise<void>): void {
    this.#onFileEdited = listener;
  }

  /** Tells of changes after they took effect. Returns the end of it. */
  watch(onChange: OnConfigChange): () => void {
    return this.#listeners.add(onChange);
  }

  /** Like `watch`, only for one definition and with its type. */
  watchOnly<T>(
    definition: ConfigDefinition<T> | ConfigFactoryDefinition<T>,
    onChange: OnConfigChange<T>,
  ): () => void {
    this.#requireKnown(definition);
    return this.watch((change) =>
      change.id.split('/', 1)[0] === definition.id ? onChange(change as ConfigChange<T>) : undefined,
    );
  }

  /**
   * Compares the folders with what is in force, takes over what is right, refuses what is not. Rounds never
   * overlap.
   *
   * @throws AggregateError when listeners failed; the change stays in force and the others were told
   */
  reload(): Promise<void> {
    const round = this.#reloading.then(() => this.#reloadOnce());
    this.#reloading = round.catch(() => undefined);
    return round;
  }

  async #reloadOnce(): Promise<void> {
    const listing = await listSources(this.#locations, this.#rules.definitions);
    // A folder that is gone is a lost mount or a deployment half done, not a wish to remove everything.
    const lost = this.#folders.find((folder) => !listing.folders.includes(folder));
    if (lost !== undefined) throw new Error(`The folder ${lost} is gone; the configuration stays as it is`);
    await this.#noticeEdits(listing.files);
    const files = this.#inForce(listing.files);
    const next = new Map(this.#snapshot);
    const changes: ConfigChange[] = [...this.scripts.takeChanges()];
    // Removals first: a renamed endpoint keeps its path only when the old name has let go of it.
    for (const id of new Set([...this.#snapshot.keys(), ...this.refusals.ids])) {
      if (!files.has(id)) this.#remove(id, next, changes);
    }
    for (const file of files.values()) await this.#takeOver(file, next, changes);
    this.#snapshot = next;
    await this.#listeners.tell(changes, this.#rules.report);
  }

  async #noticeEdits(files: ReadonlyMap<string, ConfigFile>): Promise<void> {
    const edited = this.#files.see(files);
    for (const id of this.#overlay.keys()) if (edited.has(id)) await this.#onFileEdited(id);
  }

  #inForce(files: ReadonlyMap<string, ConfigFile>): ReadonlyMap<string, ConfigFile> {
    const inForce = new Map(files);
    for (const [id, text] of this.#overlay) {
      const single = this.#rules.definitions.get(id)?.kind === 'single';
      if (text !== null) inForce.set(id, { id, file: `config/${id}`, content: { text } });
      else if (single) inForce.set(id, { id, file: `config/${id}`, content: { text: '{}' } });
      else inForce.delete(id);
    }
    return inForce;
  }

  async #takeOver(file: ConfigFile, next: Map<string, ConfigEntry>, changes: ConfigChange[]): Promise<void> {
    const { id, content } = file;
    const previous = this.#snapshot.get(id);
    const text = 'text' in content ? content.text : formatFinding(content.finding);
    if (previous?.text === text) {
      this.refusals.forget(id);
      return;
    }
    // What was refused is looked at again: a script that it names may have come meanwhile.
    const wasRefused = this.refusals.has(id);
    const read = await this.#checked.read(file, wasRefused ? () => {} : this.#rules.report);
    if ('findings' in read) {
      this.refusals.note(id, text, read.findings, this.#rules.report);
      return;
    }
    this.refusals.forget(id);
    const { entry } = read;
    next.set(id, entry);
    if (previous === undefined) {
      changes.push({ id, kind: 'added', current: entry.value });
    } else if (!isSameContent(previous.raw, entry.raw)) {
      changes.push({ id, kind: 'changed', previous: previous.value, current: entry.value });
    }
  }

  #remove(id: string, next: Map<string, ConfigEntry>, changes: ConfigChange[]): void {
    if (this.#rules.definitions.get(id)?.kind === 'single') {
      this.refusals.note(id, '', [missingFile(id)], this.#rules.report);
      return;
    }
    this.refusals.forget(id);
    const previous = this.#snapshot.get(id);
    if (previous === undefined) return;
    next.delete(id);
    changes.push({ id, kind: 'removed', previous: previous.value });
  }

  #requireKnown(definition: AnyConfigDefinition): void {
    if (this.#rules.definitions.get(definition.id) !== definition) {
      throw new Error(`The configuration store was opened without the definition '${definition.id}'`);
    }
  }
}
