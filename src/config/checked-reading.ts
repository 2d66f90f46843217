import { setImmediate } from 'node:timers/promises';
import type { Finding } from '#errors/index.ts';
import { formatPointer, type JsonValue } from '#json/index.ts';
import { type CheckedConfig, ConfigChecks } from './config-checks.ts';
import type { ConfigFile } from './config-file.ts';
import { type Report, warn } from './config-report.ts';
import { parseJsonDocument } from './json-document.ts';
import { mostFindings } from './most-findings.ts';
import { type ReadConfig, type ReadingRules, readingConfig } from './read-config.ts';

/** Reads configurations as their schemas have them, and as the parts of the server would take them. */
export class CheckedReading {
  readonly checks = new ConfigChecks();
  readonly #rules: ReadingRules;

  constructor(rules: ReadingRules) {
    this.#rules = rules;
  }

  /**
   * Reads a text, and asks the checks of its definition as well. Others have their turns between the steps.
   *
   * @param previous what is in force, for a text that is only looked at
   */
  async read(file: ConfigFile, report: Report, previous?: unknown): Promise<ReadConfig> {
    const steps = readingConfig(file, { ...this.#rules, report });
    let step = steps.next();
    while (step.done !== true) {
      await setImmediate();
      step = steps.next();
    }
    const read = step.value;
    if ('entry' in read) {
      const findings = await this.ask({ ...read.entry, previous }, report);
      return findings.length === 0 ? read : { findings: withFields(findings, file) };
    }
    const findings = [...read.findings, ...(await this.askWritten(file, read, report))];
    return { findings: withFields(mostFindings(file.file, findings), file) };
  }

  /** What the parts have against a file that its schema has refused. */
  async askWritten(
    { id, file, content }: ConfigFile,
    {
      findings,
      written,
    }: { readonly findings: readonly Finding[]; readonly written?: JsonValue | undefined },
    report?: Report,
  ): Promise<readonly Finding[]> {
    if (written === undefined || !('text' in content)) return [];
    return this.ask({ id, file, text: content.text, value: written, refused: findings }, report);
  }

  async ask(config: CheckedConfig, report: Report = this.#rules.report): Promise<readonly Finding[]> {
    const [name = '', alias] = config.id.split('/', 2);
    // `scheduler-x.json` or `endpoint.json`: nothing reads a single configuration with an alias, or a factory without one.
    if ((this.#rules.definitions.get(name)?.kind === 'single') !== (alias === undefined)) return [];
    const { findings, warnings } = await this.checks.ask(config);
    for (const warning of mostFindings(config.file, warnings)) warn(report, warning);
    return mostFindings(config.file, findings);
  }
}

/**
 * The findings with the pointer of what they are about, for readers who know the text by its members and not by its
 * lines.
 */
function withFields(findings: readonly Finding[], { file, content }: ConfigFile): readonly Finding[] {
  const document = 'text' in content ? parseJsonDocument(content.text).document : undefined;
  if (document === undefined) return findings;
  return findings.map((finding) => {
    const place = finding.where.startsWith(`${file}:`) ? finding.where.slice(file.length) : '';
    const [, line, column] = /^:(\d+):(\d+)$/.exec(place) ?? [];
    const path = document.pathAt({ line: Number(line), column: Number(column) });
    return path === undefined ? finding : { ...finding, field: formatPointer(path) };
  });
}
