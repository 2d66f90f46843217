// load: evaluates a file of the script sources in the global scope, where the script finds what it declares.
(sandbox) => {
  const { host } = sandbox;
  const { defineProperty, keys } = Object;
  // biome-ignore lint/security/noGlobalEval: inside the sandbox, and called by this name it evaluates in the global scope
  const evaluate = globalThis.eval;

  function setGlobal(name, value) {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }

  globalThis.load = (path) => {
    if (typeof path !== 'string') throw sandbox.methodNotFound('load', [path]);
    const { text, bindings, values } = host('load.resolve', path);
    for (const name of keys(values)) sandbox.bind(name, values[name]);
    const bound = sandbox.valuesOf(bindings);
    for (let index = 0; index < bindings.length; index++) setGlobal(bindings[index], bound[index]);
    evaluate(text);
  };
};
