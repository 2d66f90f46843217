import { setImmediate } from 'node:timers/promises';
import { ActivationError, type Finding } from '#errors/index.ts';
import { getAt, type JsonValue, parsePointer } from '#json/index.ts';
import { definitionOf } from './config-id.ts';
import { locator, refusalFindings } from './refusal-finding.ts';

/** What a part of the server has against a configuration. */
export interface Objection extends Omit<Finding, 'where'> {
  /** JSON pointer of the member that is meant; empty for the whole. */
  readonly field: string;
  /** Where it stands, if that is another file, such as `script/onCreate.js:3:7`. */
  readonly where?: string;
  /** It is taken all the same, and the operator is told. */
  readonly isWarning?: boolean;
}

/**
 * What a schema cannot say about a configuration.
 *
 * @param value as its schema made it; as it is written, where that has refused it
 * @param previous what is in force, where a change of it is looked at that nobody has stored yet
 * @throws anything with a message when it is wrong
 */
export type ConfigCheck<T = unknown> = (value: T, id: string, previous?: T) => Answer | Promise<Answer>;
type Answer = readonly Objection[] | undefined;

/** A configuration as it is looked at. */
export interface CheckedConfig {
  readonly id: string;
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** What is in force, where a change of it is looked at. */
  readonly previous?: unknown;
  /** What its schema has against it. */
  readonly refused?: readonly Finding[];
}

/** Asks the parts of the server what they make of a configuration: at the start, at each change, and without a node. */
export class ConfigChecks {
  readonly #checks = new Map<string, ConfigCheck[]>();

  /** @param name of a definition */
  add(name: string, check: ConfigCheck): void {
    this.#checks.set(name, [...(this.#checks.get(name) ?? []), check]);
  }

  async ask(
    config: CheckedConfig,
  ): Promise<{ readonly findings: readonly Finding[]; readonly warnings: readonly Finding[] }> {
    const { id, file, text, value, previous, refused = [] } = config;
    const found: (Finding & { isWarning?: boolean })[] = [];
    const locate = locator(file, text);
    const isSaid = (field: string) => saidBySchema(refused, value, field);
    for (const check of this.#checks.get(definitionOf(id)) ?? []) {
      // Each check of a large configuration takes its time.
      await setImmediate();
      try {
        for (const { field, where, ...objection } of (await check(value, id, previous)) ?? []) {
          if (!saidBySchema(refused, value, field))
            found.push({ ...objection, where: where ?? locate(field) });
        }
      } catch (error) {
        // A value that its schema has refused may be anything to those who expect what the schema makes of it.
        const isMeant = refused.length === 0 || error instanceof ActivationError || hasCode(error);
        if (isMeant) found.push(...refusalFindings(locate, error, isSaid).filter(isNew(refused)));
      }
    }
    // Two parts may have the same against it; the first knows it by its name.
    const said = new Set<string>();
    const once = found.filter(({ where, message }) => said.size < said.add(`${where} ${message}`).size);
    const plain = ({ isWarning, ...finding }: Finding & { isWarning?: boolean }): Finding => finding;
    return {
      findings: once.filter(({ isWarning }) => isWarning !== true).map(plain),
      warnings: once.filter(({ isWarning }) => isWarning === true).map(plain),
    };
  }
}

/** What is missing, or of the wrong type, has been told already. */
function saidBySchema(refused: readonly Finding[], value: unknown, field: string): boolean {
  return refused.length > 0 && field !== '' && getAt(value as JsonValue, parsePointer(field)) === undefined;
}

function isNew(refused: readonly Finding[]) {
  const said = new Set(refused.map(({ where }) => where));
  return ({ where }: Finding) => !said.has(where);
}

function hasCode(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}
