import type { GroovyWarning } from '#groovy/index.ts';

/** The text of a warning with the place in the script, as its mistakes have it. */
export function warningText({ message, line, column }: GroovyWarning): string {
  return `${message} (line ${line}, column ${column} of the script)`;
}
