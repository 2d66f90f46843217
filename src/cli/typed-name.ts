import { printable } from './printable.ts';

/** What begins a command, and nothing else that may stand behind the name. */
const COMMAND =
  /(?<![\w./-])svc (?=(?:start|migrate|database-url|config-check|doctor|health|restore-fence|release|unlock|why|scan|operation|system|recon|sync|queue|link|import|keys|audit|api-key|api|login|logout|profile|whoami|may|get|query|create|set|patch|delete|edit|grant|revoke|apply|diff|export|plan|schedule|process|task|dead-letter|node|logs|events|undo|script|explain|client|version|completion|<command>|--help|--version)(?![\w-]*:)(?= |$|['`;,.)]))/gm;

/**
 * Names commands as their user has typed this one (`./bin/svc.js`, `npx svc`), so that they can be typed as they stand.
 * `bin/svc.js` knows it.
 */
export function asTyped(text: string, typed: string = process.env['TYPED_SVC'] ?? 'svc'): string {
  return text.replace(COMMAND, () => `${typed} `);
}

/** Tells what a command has to say about how it was called. */
export function complain(text: string): void {
  console.error(printable(asTyped(text)));
}
