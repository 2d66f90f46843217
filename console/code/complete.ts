import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from '@codemirror/autocomplete';

/** A name that a script finds, with what is in it. */
export interface Known {
  readonly name: string;
  readonly type?: string | readonly string[];
  readonly says?: string;
  readonly signature?: string;
  readonly title?: string;
  readonly functions?: readonly Known[];
  readonly properties?: readonly Known[];
}

/** Completes names, and behind a dot what is in them. */
export function completeFrom(globals: readonly Known[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const member = context.matchBefore(/\b([A-Za-z_$][\w$]*)\.[\w$]*/);
    if (member !== null) {
      const [owner = '', typed = ''] = member.text.split('.');
      const found = globals.find(({ name }) => name === owner);
      const members = [...(found?.functions ?? []), ...(found?.properties ?? [])];
      return members.length === 0
        ? null
        : { from: member.to - typed.length, options: members.map(optionOf), validFor: /^[\w$]*$/ };
    }
    const word = context.matchBefore(/[\w$]+/);
    if (word === null && !context.explicit) return null;
    return { from: word?.from ?? context.pos, options: globals.map(optionOf), validFor: /^[\w$]*$/ };
  };
}

function optionOf({ name, type, says, signature, title }: Known): Completion {
  const isFunction = signature !== undefined || type === 'function';
  const info = says ?? title;
  return {
    label: name,
    type: isFunction ? 'function' : type === 'object' ? 'namespace' : 'variable',
    detail: signature === undefined ? String(type ?? '') : signature.slice(name.length),
    ...(info === undefined ? {} : { info }),
    ...(isFunction ? { apply: snippet(`${name}(#{})`) } : {}),
  };
}
