import { type Finding, formatFinding } from '#errors/index.ts';
import type { Report } from './config-report.ts';

/** A text that has errors, and keeps the one before in force. */
export interface RefusedConfig {
  readonly id: string;
  readonly since: Date;
  readonly findings: readonly Finding[];
}

/** What stands in the files and is not in force, by id; the same is told of once and not every two seconds. */
export class RefusedConfigs {
  readonly #refused = new Map<string, RefusedConfig & { readonly said: string }>();
  /** Refused files that another part reads, which tells of them itself. */
  readonly #elsewhere = new Map<string, RefusedConfig>();

  get list(): readonly RefusedConfig[] {
    const own = [...this.#refused.values()].map(({ id, since, findings }) => ({ id, since, findings }));
    return [...own, ...this.#elsewhere.values()];
  }

  /** The ids of the configurations that were refused. */
  get ids(): readonly string[] {
    return [...this.#refused.keys()];
  }

  noteElsewhere(id: string, findings: readonly Finding[]): void {
    this.#elsewhere.set(id, { id, since: this.#elsewhere.get(id)?.since ?? new Date(), findings });
  }

  forgetElsewhere(id: string): void {
    this.#elsewhere.delete(id);
  }

  has(id: string): boolean {
    return this.#refused.has(id);
  }

  forget(id: string): void {
    this.#refused.delete(id);
  }

  note(id: string, text: string, findings: readonly Finding[], report: Report): void {
    const lines = findings.map(formatFinding);
    const said = [text, ...lines].join('\n');
    const before = this.#refused.get(id);
    if (before?.said === said) return;
    this.#refused.set(id, { id, since: before?.since ?? new Date(), findings, said });
    report({ kind: 'config.refused', id, findings: lines });
  }
}
