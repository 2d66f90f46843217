import type { NameUses } from './javascript/index.ts';

/** Something about a place in a script; lines and columns count from 1, the end is behind it. */
export interface Diagnostic {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** An error keeps the script from compiling. */
  readonly severity: 'error' | 'warning';
  readonly id: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Diagnosis {
  /** Whether it compiles. */
  readonly ok: boolean;
  /** What was found, in the order of the script. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What a script may count on where it is used. */
export interface ScriptScope {
  /** The variables that it is given. */
  readonly names: ReadonlySet<string>;
  /** There may be others, so that no name is unknown. */
  readonly takesOthers: boolean;
  /** What it declares at its top is read by somebody else. */
  readonly keepsVariables: boolean;
}

/** Something that is doubtful at an offset of the text. */
export interface Doubt {
  readonly at: number;
  readonly length: number;
  readonly id: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What one language finds in a text. */
export interface Findings {
  readonly errors: readonly Omit<Diagnostic, 'endLine' | 'endColumn' | 'severity'>[];
  /** Warnings, with places of their own. */
  readonly warnings?: readonly Omit<Diagnostic, 'endLine' | 'endColumn' | 'severity'>[];
  readonly uses?: NameUses;
  /** What it requires, and where. */
  readonly modules?: readonly { readonly name: string; readonly offset: number }[];
}

/** How many findings of one script are told; nobody reads more. */
const MOST_DIAGNOSTICS = 500;

/** Gives what was found the places that editors mark. */
export function diagnosisOf(source: string, findings: Findings, doubts: readonly Doubt[]): Diagnosis {
  const { errors, warnings = [] } = findings;
  const lines = source.split('\n');
  const sorted = [...doubts].sort((one, other) => one.at - other.at).slice(0, MOST_DIAGNOSTICS);
  const all: Diagnostic[] = [
    ...errors.map((found) => ({ ...marked(lines, found), severity: 'error' as const })),
    ...warnings.map((found) => ({ ...marked(lines, found), severity: 'warning' as const })),
    ...placed(lines, sorted),
  ];
  all.sort((one, other) => one.line - other.line || one.column - other.column);
  return { ok: errors.length === 0, diagnostics: all.slice(0, MOST_DIAGNOSTICS) };
}

const WORD = /[\p{ID_Continue}$]+|\S?/uy;

/** Marks a place to the end of the word that stands there. */
function marked<T extends { readonly line: number; readonly column: number }>(
  lines: readonly string[],
  found: T,
): T & { endLine: number; endColumn: number } {
  const { line, column } = found;
  WORD.lastIndex = column - 1;
  const [word = ''] = WORD.exec(lines[line - 1] ?? '') ?? [];
  return { ...found, endLine: line, endColumn: column + Math.max(1, word.length) };
}

/** @param doubts in the order of the text */
function placed(lines: readonly string[], doubts: readonly Doubt[]): Diagnostic[] {
  let line = 1;
  let start = 0;
  const ends = (of: number) => start + (lines[of - 1]?.length ?? 0);
  return doubts.map(({ at, length, id, message, hint }) => {
    for (let end = ends(line); line < lines.length && at > end; end = ends(line)) {
      start = end + 1;
      line += 1;
    }
    const column = at - start + 1;
    const said = hint === undefined ? {} : { hint };
    return {
      line,
      column,
      endLine: line,
      endColumn: column + length,
      severity: 'warning',
      id,
      message,
      ...said,
    };
  });
}
