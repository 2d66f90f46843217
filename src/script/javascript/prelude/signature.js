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

  sandbox.isObject = isObject;

  sandbox.methodNotFound = (name, args) =>
    new Error(`method not found ${name}(${args.map(typeName).join(',')})`);

  /** `?` admits null. A switch and plain loops, because every call of every script comes through here. */
  function accepts(type, value) {
    switch (type) {
      case 'string':
        return typeof value === 'string';
      case 'string?':
        return value === null || typeof value === 'string';
      case 'object':
        return isObject(value);
      case 'object?':
        return value === null || isObject(value);
      case 'array':
        return Array.isArray(value);
      case 'array?':
        return value === null || Array.isArray(value);
      default:
        return true;
    }
  }

  /**
   * `pattern` names the type of each parameter; one beyond the first `least` may be left out. The answer has one
   * entry per parameter, absent ones null.
   */
  sandbox.matchArguments = (name, args, least, pattern) => {
    const given = args.length;
    let fits = given >= least && given <= pattern.length;
    const matched = [];
    for (let index = 0; fits && index < pattern.length; index++) {
      const value = args[index] === undefined ? null : args[index];
      matched[index] = value;
      fits = index >= given || accepts(pattern[index], value);
    }
    if (!fits) throw sandbox.methodNotFound(name, args);
    return matched;
  };
};
