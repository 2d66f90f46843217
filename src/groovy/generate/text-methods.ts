import type { StaticKind } from './scope.ts';

/** Methods without arguments that JavaScript has for a text as Groovy has them: the code, and what it gives. */
export const TEXT_METHODS: Readonly<
  Record<string, { readonly code: (text: string) => string; readonly kind: StaticKind } | undefined>
> = Object.assign(Object.create(null), {
  toString: { code: (text: string) => text, kind: 'string' },
  toLowerCase: { code: (text: string) => `${text}.toLowerCase()`, kind: 'string' },
  toUpperCase: { code: (text: string) => `${text}.toUpperCase()`, kind: 'string' },
  length: { code: (text: string) => `${text}.length`, kind: 'int' },
  size: { code: (text: string) => `${text}.length`, kind: 'int' },
  isEmpty: { code: (text: string) => `(${text}==="")`, kind: 'boolean' },
});
