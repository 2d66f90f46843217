import { arrays } from './closure.ts';
import { arrayType, classNamed } from './java-class.ts';
import { defineStatics } from './method-table.ts';
import { toText } from './text.ts';
import { illegalArgument } from './throwable.ts';
import { EnumConstant } from './values.ts';

/** Makes the constants of an enum of ours, with `values()` and `valueOf()`. */
export function builtInEnum<T extends string>(
  className: string,
  names: readonly T[],
  textOf: (name: T) => string = (name) => name,
): Record<T, EnumConstant> {
  const type = classNamed(className);
  const constants: Record<T, EnumConstant> = Object.create(null);
  for (const [ordinal, name] of names.entries()) {
    constants[name] = new EnumConstant(type, name, ordinal, textOf(name));
  }
  defineStatics(
    className,
    {
      'values/0': () =>
        arrays.make(
          names.map((name) => constants[name]),
          arrayType(type),
        ),
      'valueOf/1': (wanted: unknown) => {
        const text = toText(wanted);
        const name = names.find((known) => known === text);
        if (name === undefined) throw illegalArgument(`No enum constant ${className}.${text}`);
        return constants[name];
      },
    },
    constants,
  );
  return constants;
}
