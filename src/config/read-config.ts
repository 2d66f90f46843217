import { didYouMean, type Finding, formatFinding, nearest } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import type { AnyConfigDefinition } from './config-definition.ts';
import type { ConfigFile } from './config-file.ts';
import { type Report, warn } from './config-report.ts';
import { separateKeys, type UndescribedKey } from './described-keys.ts';
import { fieldFileHint } from './field-files.ts';
import { parseJsonDocument } from './json-document.ts';
import { MOST_FINDINGS } from './most-findings.ts';
import type { PropertySource } from './property-source.ts';
import {
  type CheckedText,
  doubtFinding,
  idleKeysFinding,
  issueFinding,
  missingKeyFinding,
  mistypedFinding,
  unknownKeyFinding,
} from './schema-finding.ts';
import { substitute } from './substitution.ts';
import { unreadFindings } from './unread-keys.ts';

/** One configuration in force. */
export interface ConfigEntry {
  readonly id: string;
  readonly file: string;
  readonly text: string;
  /** The value as it is written: references unresolved. */
  readonly raw: JsonValue;
  /** Substituted and, when there is a definition, checked and converted by its schema. */
  readonly value: unknown;
}

export interface ReadingRules {
  readonly definitions: ReadonlyMap<string, AnyConfigDefinition>;
  readonly properties: PropertySource;
  readonly report: Report;
  /** The node starts: a part may stay inactive, the others do not wait for it. */
  readonly starting?: boolean;
}

/** Either an entry or what is wrong; then the value as it is written, if it is JSON, for what others have to say. */
export type ReadConfig =
  | { readonly entry: ConfigEntry }
  | { readonly findings: readonly Finding[]; readonly written?: JsonValue };

/** Reads a file in one go. */
export function readConfig(file: ConfigFile, rules: ReadingRules): ReadConfig {
  const steps = readingConfig(file, rules);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Text → JSON → substitution → comments and unknown keys → schema. Of a large one each step takes its time. */
export function* readingConfig(
  { id, file, content }: ConfigFile,
  { definitions, properties, report, starting }: ReadingRules,
): Generator<undefined, ReadConfig> {
  if ('finding' in content) return { findings: [content.finding] };
  const { text } = content;
  const { document, problems } = parseJsonDocument(text);
  const findings = problems.map(({ position, ...problem }): Finding => {
    return { ...problem, where: `${file}:${position.line}:${position.column}` };
  });
  if (document === undefined) return unreadable(id, file, text, { definitions, report }, findings);
  const raw = document.value;
  const definition = definitionOf(id, definitions);
  yield;
  const { value, unresolved, mistyped } = substitute(withDefaults(raw, definition), properties);
  for (const mistake of mistyped.slice(0, MOST_FINDINGS + 1))
    findings.push(mistypedFinding(file, document, mistake));
  if (unresolved.length > 0) {
    const named = unresolved.slice(0, MOST_FINDINGS);
    const hints = named.flatMap((name) => properties.hintFor?.(name) ?? []);
    const more = unresolved.length - named.length;
    const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
    const said = [`no value for ${list}`, ...hints].join('. ');
    report({
      kind: 'config.warned',
      message: `${file}: ${said}`,
      finding: { id: 'CONFIG_NO_VALUE', where: `${file}:1:1`, message: said },
    });
  }
  if (definition === undefined) {
    reportUnread(id, file, definitions, report);
    // What nothing reads can be wrong for nobody.
    for (const finding of findings) warn(report, finding);
    return { entry: { id, file, text, raw, value } };
  }
  yield;
  const { value: known, undescribed } = separateKeys(value, definition.jsonSchema);
  yield;
  const checked: CheckedText = { file, document, value, undescribed };
  for (const key of undescribed) {
    const finding = unknownKeyFinding(checked, key);
    if (key.refused && !isPassedOver(key, value, definition)) findings.push(finding);
    else if (key.refused) warn(report, finding);
    else report({ kind: 'config.note', message: formatFinding(finding) });
  }
  for (const finding of unreadFindings(checked, definition)) {
    warn(report, finding);
  }
  const idle = findWithoutEffect(checked, raw, definition);
  if (idle !== undefined) warn(report, idle);
  for (const [key, doubt] of Object.entries(definition.doubts ?? {})) {
    const finding = isObject(value) ? doubt(value[key] ?? null) : undefined;
    if (finding === undefined) continue;
    warn(report, doubtFinding(checked, key, finding));
  }
  for (const key of definition.activates ?? []) {
    if (!isObject(value) || value[key] !== undefined) continue;
    const finding = missingKeyFinding(checked, definition, [key]);
    if (finding === undefined) continue;
    if (starting === true) warn(report, finding);
    else findings.push(finding);
  }
  yield;
  const parsed = definition.schema.safeParse(known);
  if (parsed.success && findings.length === 0) return { entry: { id, file, text, raw, value: parsed.data } };
  for (const issue of parsed.success ? [] : parsed.error.issues) {
    if (findings.length > MOST_FINDINGS) break;
    const finding = issueFinding(checked, definition, issue);
    if (finding !== undefined) findings.push(finding);
  }
  return { findings, written: value };
}

/** A text that is no JSON is a mistake where something reads it. */
function unreadable(
  id: string,
  file: string,
  text: string,
  { definitions, report }: Pick<ReadingRules, 'definitions' | 'report'>,
  findings: readonly Finding[],
): ReadConfig {
  if (definitionOf(id, definitions) !== undefined) return { findings };
  reportUnread(id, file, definitions, report);
  for (const finding of findings) warn(report, finding);
  return { entry: { id, file, text, raw: null, value: null } };
}

/** An unknown key that is told of, unless it is a required one misspelt. */
function isPassedOver(
  { path, key, candidates }: UndescribedKey,
  value: JsonValue,
  { takesUnknownKeys, jsonSchema }: AnyConfigDefinition,
): boolean {
  if (takesUnknownKeys !== true || path.length > 0 || !isObject(value)) return false;
  const meant = nearest(key, candidates);
  return meant === undefined || value[meant] !== undefined || !jsonSchema.required?.includes(meant);
}

/** One finding for all keys of the file that change nothing. */
function findWithoutEffect(
  text: CheckedText,
  raw: JsonValue,
  { withoutEffect }: AnyConfigDefinition,
): Finding | undefined {
  const harmless = withoutEffect?.harmless ?? ['true'];
  const idle = (withoutEffect?.keys ?? []).filter(
    (key) => isObject(raw) && raw[key] !== undefined && !harmless.includes(String(raw[key])),
  );
  return idle.length === 0 ? undefined : idleKeysFinding(text, idle, withoutEffect!.because);
}

function withDefaults(raw: JsonValue, definition: AnyConfigDefinition | undefined): JsonValue {
  if (!isObject(raw) || definition?.kind !== 'single') return raw;
  return { ...definition.defaults, ...raw };
}

/** The definition of a single configuration, or of the factory that the id's first part names. */
function definitionOf(
  id: string,
  definitions: ReadonlyMap<string, AnyConfigDefinition>,
): AnyConfigDefinition | undefined {
  const [name = '', alias] = id.split('/');
  const definition = definitions.get(name);
  return (definition?.kind === 'factory') === (alias !== undefined) ? definition : undefined;
}

/**
 * `scheduler-nightly.json` is most likely a schedule with a typing error, and would never run. Files of the field's
 * other parts are brought along by whoever moves here, and should not seem to be in force. Any other file is for
 * scripts and clients that ask `/config`.
 */
function reportUnread(
  id: string,
  file: string,
  definitions: ReadonlyMap<string, AnyConfigDefinition>,
  report: Report,
): void {
  const [name = '', alias] = id.split('/');
  const sameSort = [...definitions.values()].filter(
    (definition) => (definition.kind === 'factory') === (alias !== undefined),
  );
  const hint = didYouMean(
    name,
    sameSort.map((definition) => definition.id),
  );
  const said = hint ?? fieldFileHint(name);
  if (said === undefined) return;
  const finding = { id: 'CONFIG_UNREAD_FILE', where: `${file}:1:1`, message: 'the file is read by nothing' };
  report({
    kind: 'config.warned',
    message: `${file} is read by nothing. ${said}`,
    finding: { ...finding, hint: said },
  });
}
