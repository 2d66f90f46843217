const COMMAND =
  /(?<![\w./-])svc (?=(?:start|migrate|database-url|config-check|health|unlock|why|scan|keys|audit|api-key|get|query|create|patch|delete|whoami|<command>|--help|--version)(?![\w-]*:))/g;

/**
 * Names commands as their user has typed this one (`./bin/svc.js`, `npx svc`), so that they can be typed as they stand.
 * `bin/svc.js` knows it.
 */
export function asTyped(text: string, typed: string = process.env['TYPED_SVC'] ?? 'svc'): string {
  return text.replace(COMMAND, () => `${typed} `);
}

/** For what a command has to say about how it was called. */
export function complain(text: string): void {
  console.error(asTyped(text));
}
