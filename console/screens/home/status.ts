/** What `/status` answers. */
export interface Status {
  readonly state: 'ok' | 'attention';
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<string, number>>;
}

export interface Finding {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly since: string | null;
  /** The path of what it is about. */
  readonly subject: string;
  readonly text: string;
  readonly hint: string;
  readonly at?: string;
  readonly actions?: readonly { readonly title: string; readonly request: string }[];
}
