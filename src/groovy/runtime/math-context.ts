import { toInt } from './arithmetic.ts';
import { builtInEnum } from './built-in-enum.ts';
import { ROUNDING, type Rounding } from './decimal.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { toText } from './text.ts';
import { illegalArgument } from './throwable.ts';
import { EnumConstant, isNumeric, JavaObject } from './values.ts';

const MATH_CONTEXT_CLASS = classNamed('java.math.MathContext');

builtInEnum('java.math.RoundingMode', ROUNDING);

/** A rounding mode, or the number that older scripts write. */
export function roundingOf(value: unknown): Rounding {
  const mode =
    value instanceof EnumConstant
      ? ROUNDING.find((name) => name === value.name)
      : isNumeric(value)
        ? ROUNDING[toInt(value)]
        : undefined;
  if (mode === undefined) throw illegalArgument(`Invalid rounding mode ${toText(value)}`);
  return mode;
}

export class MathContext extends JavaObject {
  readonly type: JavaClass = MATH_CONTEXT_CLASS;
  readonly precision: number;
  readonly rounding: Rounding;

  constructor(precision: number, rounding: Rounding = 'HALF_UP') {
    super();
    this.precision = precision;
    this.rounding = rounding;
  }

  override toText(): string {
    return `precision=${this.precision} roundingMode=${this.rounding}`;
  }
}
