import { type CompiledText, compiledText } from './compiled-text.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/object-methods.ts';
import { call } from './dispatch.ts';
import { Binding } from './script.ts';
import { StringWriter } from './statics/string-writer.ts';
import { textOf, toText } from './text.ts';
import { JavaObject } from './values.ts';

class TemplateEngine extends JavaObject {
  readonly type: JavaClass;

  constructor(name: string) {
    super();
    this.type = classNamed(`groovy.text.${name}`);
  }
}

class Template extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.text.Template');
  readonly compiled: CompiledText;

  constructor(compiled: CompiledText) {
    super();
    this.compiled = compiled;
  }
}

/** A template with its values; it is written whenever its text is wanted. */
class Made extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.lang.Writable');
  readonly #template: Template;
  readonly #values: JavaMap;

  constructor(template: Template, values: JavaMap) {
    super();
    this.#template = template;
    this.#values = values;
  }

  override toText(): string {
    const binding = new Binding({ names: [], has: () => false, make: () => undefined });
    for (const { key, value } of this.#values.list()) binding.set(toText(key), value);
    const writer = new StringWriter();
    binding.set('out', writer);
    this.#template.compiled(binding);
    return writer.text;
  }
}

for (const name of ['SimpleTemplateEngine', 'GStringTemplateEngine']) {
  defineStatics(`groovy.text.${name}`, { 'new/0-1': () => new TemplateEngine(name) });
}
defineMethods('groovy.text.TemplateEngine', 'java.lang.Object', {
  'createTemplate/1': (_self: TemplateEngine, source: unknown) =>
    new Template(compiledText('groovy.template', textOf(source) ?? toText(call(source, 'getText', [])))),
});
defineMethods('groovy.text.SimpleTemplateEngine', 'groovy.text.TemplateEngine', {});
defineMethods('groovy.text.GStringTemplateEngine', 'groovy.text.TemplateEngine', {});
defineMethods('groovy.text.Template', 'java.lang.Object', {
  'make/0-1': (self: Template, values: unknown) =>
    new Made(self, values instanceof JavaMap ? values : new JavaMap()),
});
defineMethods('groovy.lang.Writable', 'java.lang.Object', {
  'toString/0': (self: Made) => self.toText(),
  'writeTo/1': (self: Made, writer: unknown) => {
    call(writer, 'write', [self.toText()]);
    return writer;
  },
});
