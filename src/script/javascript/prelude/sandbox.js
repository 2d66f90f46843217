// Runs inside QuickJS, first of the prelude. Makes the record that the other parts of the prelude share and that
// libraries get; scripts never see it.
(rawHost) => {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { getTime } = Date.prototype;
  const compiled = new Map();
  const revivers = new Map();
  const contexts = new WeakMap();
  let bindings;

  /** Asks the host and waits for the answer; a refusal is thrown as a resource error. */
  function ask(operation, args) {
    const answer = parse(rawHost(operation, stringify(args)));
    if (answer.length > 1) throw sandbox.toError(answer[1], answer[2]);
    return answer[0];
  }

  /** Null for what is not there. */
  function askOrNull(operation, args) {
    const answer = parse(rawHost(operation, stringify(args)));
    if (answer.length === 1) return answer[0];
    if (answer[1].code === 404) return null;
    throw sandbox.toError(answer[1], answer[2]);
  }

  function host(operation, ...args) {
    return ask(operation, args);
  }

  /** `value` is what JSON made of a binding; what the function returns stands in its place. `*` is any other name. */
  function reviveBinding(name, revive) {
    revivers.set(name, revive);
  }

  /** Makes a binding; modules see all that have been made. */
  function bind(name, value) {
    const revive = revivers.get(name) ?? revivers.get('*');
    bindings[name] = revive === undefined ? value : revive(value);
  }

  function define(id, fn, parameters) {
    compiled.set(id, { fn, parameters: parse(parameters) });
  }

  /** `values`, `returned` and `seed` are JSON; the first two may be empty texts, because most scripts need none. */
  function run(id, values, returned, seed) {
    const { fn, parameters } = compiled.get(id);
    sandbox.seedRandom(seed);
    bindings = { __proto__: null };
    // The first collects the value of the script, the second is for its variables.
    const args = [undefined, sandbox.shareVariables];
    if (parameters.length > 0) {
      const given = parse(values);
      for (let index = 0; index < parameters.length; index++) {
        const name = parameters[index];
        bind(name, given[index]);
        args.push(bindings[name]);
      }
    }
    let value;
    try {
      value = apply(fn, undefined, args);
    } catch (error) {
      return stringify({ __proto__: null, failure: sandbox.describe(error) });
    }
    try {
      if (value instanceof Promise) {
        throw new TypeError('The script returned a promise; scripts and resource functions are synchronous');
      }
      const text = stringify(value);
      const changed = returned === '' ? '{}' : changedBindings(parse(returned));
      const date = value instanceof Date ? `,"date":${stringify(apply(getTime, value, []))}` : '';
      return `{"value":${text === undefined ? 'null' : text},"bindings":${changed}${date}}`;
    } catch (error) {
      return stringify({ __proto__: null, failure: sandbox.describe(error), inResult: true });
    }
  }

  function changedBindings(names) {
    const changed = { __proto__: null };
    for (const name of names) if (name in bindings) changed[name] = bindings[name];
    return stringify(changed);
  }

  function load(library) {
    library(sandbox);
  }

  /** `name` is the innermost link of the chain that the object stands for. */
  const markContext = (object, name) => {
    contexts.set(object, name);
  };
  const contextNameOf = (object) => contexts.get(object);

  const valuesOf = (names) => names.map((name) => bindings[name]);

  const sandbox = {
    markContext,
    contextNameOf,
    ask,
    askOrNull,
    host,
    reviveBinding,
    bind,
    valuesOf,
    define,
    run,
    load,
    compiled,
  };
  return sandbox;
};
