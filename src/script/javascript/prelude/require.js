// CommonJS. The host finds a module and compiles it; it is evaluated here, once per run.
(sandbox) => {
  const { host, compiled } = sandbox;
  const { apply } = Reflect;
  const { keys } = Object;
  const modules = new Map();

  function requireFrom(requiring, name) {
    if (typeof name !== 'string') throw sandbox.methodNotFound('require', [name]);
    const { id, compiledAs, values } = host('require.resolve', name, requiring);
    const known = modules.get(compiledAs);
    // A module that is still being evaluated answers with what it has exported so far.
    if (known !== undefined) return known.exports;
    for (const name of keys(values)) sandbox.bind(name, values[name]);
    const { parameters } = compiled.get(compiledAs);
    return evaluate(id, compiledAs, sandbox.valuesOf(parameters));
  }

  function evaluate(id, compiledAs, bound) {
    const { fn } = compiled.get(compiledAs);
    const module = { id, exports: {} };
    modules.set(compiledAs, module);
    try {
      const require = (inner) => requireFrom(id, inner);
      apply(fn, module.exports, [module.exports, module, require, ...bound]);
    } catch (error) {
      modules.delete(compiledAs);
      throw error;
    }
    return module.exports;
  }

  /** Between runs: a shared module, which is part of the memory that every run begins with. */
  sandbox.preload = (id, compiledAs) => {
    evaluate(id, compiledAs, []);
  };

  globalThis.require = (name) => requireFrom(null, name);
};
