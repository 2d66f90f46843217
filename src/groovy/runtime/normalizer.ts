import { builtInEnum } from './built-in-enum.ts';
import { defineStatics } from './method-table.ts';
import { toText } from './text.ts';
import { badArgument } from './throwable.ts';
import { EnumConstant } from './values.ts';

const FORMS = ['NFD', 'NFC', 'NFKD', 'NFKC'] as const;
builtInEnum('java.text.Normalizer$Form', FORMS);

function normalized(text: unknown, form: unknown): string {
  if (!(form instanceof EnumConstant)) throw badArgument();
  return toText(text).normalize(form.name);
}

defineStatics('java.text.Normalizer', {
  'normalize/2': normalized,
  'isNormalized/2': (text: unknown, form: unknown) => normalized(text, form) === toText(text),
});
