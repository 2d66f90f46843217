/** What a zod schema looks like from outside the schema files. */
export interface ConfigSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } };
}

export interface SchemaIssue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: unknown;
  readonly values?: unknown;
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  /** Which finding this is and what it says, where a schema of ours has refused the value. */
  readonly params?: { readonly id?: string; readonly hint?: string; readonly statement?: string } | undefined;
}
