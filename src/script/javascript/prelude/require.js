// CommonJS. The host finds a module and compiles it; it is evaluated here, once per run.
(sandbox) => {
  const { host, compiled } = sandbox;
  const { apply } = Reflect;
  const modules = new Map();

  function requireFrom(requiring, name) {
    if (typeof name !== 'string') throw sandbox.methodNotFound('require', [name]);
    const { id, compiledAs } = host('require.resolve', name, requiring);
    const known = modules.get(id);
    // A module that is still being evaluated answers with what it has exported so far.
    if (known !== undefined) return known.exports;
    const module = { id, exports: {} };
    modules.set(id, module);
    try {
      const require = (inner) => requireFrom(id, inner);
      apply(compiled.get(compiledAs).fn, module.exports, [module.exports, module, require]);
    } catch (error) {
      modules.delete(id);
      throw error;
    }
    return module.exports;
  }

  globalThis.require = (name) => requireFrom(null, name);
};
