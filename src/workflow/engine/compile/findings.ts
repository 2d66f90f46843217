import {
  type Expression,
  ExpressionError,
  isJuel,
  isLiteral,
  parseExpression,
} from '../../expression/index.ts';
import type { Finding } from '../definition.ts';

/** What the host can tell about names that a process file uses; what is absent is not checked. */
export interface CompileOptions {
  /** The process of the file that is wanted; without it, all executable ones. */
  readonly key?: string;
  /** Instances run by it: what would be refused today is let pass, for it was not when it was deployed. */
  readonly isDeployed?: boolean;
  /** Whether a class name or delegate name is registered. */
  readonly hasDelegate?: (name: string) => boolean;
  /** The mistake in a script, or undefined. */
  readonly checkScript?: (format: string, source: string) => string | undefined;
  /** The mistake in a cron expression, or undefined. */
  readonly checkCron?: (text: string) => string | undefined;
}

/** Formats that say which language they mean; all others are run as Groovy, as the field does. */
const KNOWN_LANGUAGE = /groovy|(?:java|ecma)script|^js$/i;

/** Gathers refusals and warnings while a file is compiled. */
export class Findings {
  readonly refusals: Finding[];
  readonly warnings: Finding[];
  readonly options: CompileOptions;

  constructor(options: CompileOptions, refusals: Finding[] = [], warnings: Finding[] = []) {
    this.options = options;
    this.refusals = refusals;
    this.warnings = warnings;
  }

  /** For one process of the file: warnings of its own besides those of the file, refusals in common. */
  forProcess(): Findings {
    return new Findings(this.options, this.refusals, [...this.warnings]);
  }

  refuse(id: string, element: string, message: string, hint?: string): void {
    this.refusals.push({ id: `WORKFLOW_${id}`, element, message, ...(hint === undefined ? {} : { hint }) });
  }

  warn(id: string, element: string, message: string, hint?: string): void {
    this.warnings.push({ id: `WORKFLOW_${id}`, element, message, ...(hint === undefined ? {} : { hint }) });
  }

  /** The parsed text; a mistake in it is a refusal, and the text then stands as a literal. */
  expression(element: string, text: string): Expression {
    try {
      return parseExpression(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.refuse('BAD_EXPRESSION', element, `holds a mistake: ${error.message}`);
      return { text, parts: [text] };
    }
  }

  /** An expression that must say true or false, which no literal text does. */
  condition(element: string, text: string): Expression {
    const expression = this.expression(element, text);
    const isMistaken = this.refusals.some((refusal) => refusal.element === element);
    if (!isMistaken && isLiteral(expression)) {
      this.refuse(
        'BAD_CONDITION',
        element,
        `has the condition '${text}'`,
        `Write an expression: \${${text}}`,
      );
    }
    return expression;
  }

  optionalCondition(element: string, text: string | undefined): Expression | undefined {
    return text === undefined ? undefined : this.condition(element, text);
  }

  optionalExpression(element: string, text: string | undefined): Expression | undefined {
    return text === undefined ? undefined : this.expression(element, text);
  }

  script(element: string, format: string, source: string): void {
    if (isJuel(format)) {
      this.expression(element, source);
      return;
    }
    if (!KNOWN_LANGUAGE.test(format.trim())) {
      this.warn('SCRIPT_LANGUAGE', element, `holds a script in '${format}', which is run as Groovy`);
    }
    const problem = this.options.checkScript?.(format, source);
    if (problem !== undefined)
      this.refuse('BAD_SCRIPT', element, `holds a script with a mistake: ${problem}`);
  }

  delegate(element: string, name: string): void {
    if (this.options.hasDelegate?.(name) === false) {
      this.refuse(
        'UNKNOWN_DELEGATE',
        element,
        `names '${name}', which is not registered`,
        'Register a delegate of that name in the service folder of the project',
      );
    }
  }
}
