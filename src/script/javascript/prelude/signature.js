// Arguments of the functions that scripts call, checked as the field does: a wrong call is "method not found".
(sandbox) => {
  function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  }

  function typeName(value) {
    if (value === null || value === undefined) return String(value);
    if (Array.isArray(value)) return 'Array';
    const type = typeof value;
    return type[0].toUpperCase() + type.slice(1);
  }

  /** What a call must have, by object and function: `{least, types}`. `server-functions.ts` writes them here. */
  sandbox.signatures = $SIGNATURES;
  sandbox.isObject = isObject;

  sandbox.methodNotFound = (name, args) =>
    new Error(`method not found ${name}(${args.map(typeName).join(',')})`);

  // Numbers, because every call of every script comes through here and QuickJS compares them fastest.
  function accepts(type, value) {
    switch (type) {
      case 1:
        return typeof value === 'string';
      case 2:
        return value === null || typeof value === 'string';
      case 3:
        return isObject(value);
      case 4:
        return value === null || isObject(value);
      case 5:
        return Array.isArray(value);
      case 6:
        return value === null || Array.isArray(value);
      default:
        return true;
    }
  }

  /**
   * `types` has the type of each parameter; one beyond the first `least` may be left out. Answers with `args`,
   * in which undefined has become null.
   */
  sandbox.matchArguments = (name, args, { least, types }) => {
    const given = args.length;
    let fits = given >= least && given <= types.length;
    for (let index = 0; fits && index < given; index++) {
      if (args[index] === undefined) args[index] = null;
      fits = accepts(types[index], args[index]);
    }
    if (!fits) throw sandbox.methodNotFound(name, args);
    return args;
  };
};
