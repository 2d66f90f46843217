import { translatePattern, wholeOf } from '../runtime/java-regex.ts';

/** Methods whose first argument is an expression when it is a text. */
export const PATTERN_METHODS: ReadonlySet<string> = new Set(
  'replaceAll replaceFirst matches split eachMatch find findAll'.split(' '),
);

/**
 * Parts that the engine of the sandbox may know otherwise than the one that compiles; and control characters, which the text
 * of an expression shows as they are, where those that enclose marks would be taken for such.
 */
const UNSURE = /\\[pPkuxc]|\(\?|\p{Cc}/u;

/**
 * What tells the runtime of an expression that a script writes out: translated and compiled here, it costs a run
 * nothing, where it would be the dearest thing that many scripts do. Undefined for what the runtime has to look at.
 */
export function patternLiteral(source: string): string | undefined {
  if (UNSURE.test(source)) return undefined;
  try {
    const regex = translatePattern(source, 0);
    return `$.preparePattern(${JSON.stringify(source)},()=>${regex},()=>${wholeOf(regex)});\n`;
  } catch {
    // The script is told when it comes to that.
    return undefined;
  }
}
