// svc.create, read, update, patch, delete, query, action.
(sandbox) => {
  const { ask, askOrNull, host, isObject, matchArguments, methodNotFound, TYPE } = sandbox;
  const { keys } = Object;
  const { string, stringOrNull, object, objectOrNull, array, arrayOrNull, value: any } = TYPE;
  const TAIL = [objectOrNull, arrayOrNull, objectOrNull];
  const READ = [string, ...TAIL];
  const QUERY = [string, object, arrayOrNull, objectOrNull];
  const ACTION = [string, stringOrNull, any, ...TAIL];
  const [KIND, NUMBER, OTHER] = [1, 2, 3];
  /** What a query itself understands, in lower case. */
  const QUERY_PARAMETERS = {
    __proto__: null,
    _queryid: KIND,
    _queryexpression: KIND,
    _queryfilter: KIND,
    _pagesize: NUMBER,
    _pagedresultsoffset: NUMBER,
    _fields: OTHER,
    _sortkeys: OTHER,
    _pagedresultscookie: OTHER,
    _totalpagedresultspolicy: OTHER,
  };

  function withoutFunctions(args) {
    for (let index = 0; index < args.length; index++) {
      if (typeof args[index] === 'function') return args.filter((value) => typeof value !== 'function');
    }
    return args;
  }

  function badRequest(message) {
    return sandbox.toError({ code: 400, reason: 'Bad Request', message });
  }

  /** Additional parameters are text: numbers and booleans are written out, the rest is refused. */
  function toText(key, value) {
    if (typeof value === 'object') {
      throw badRequest(`The parameter ${key} must be a string, a number or a boolean`);
    }
    return String(value);
  }

  function toParameters(params) {
    if (params === null || params === undefined) return null;
    const result = {};
    for (const key of keys(params)) {
      const value = params[key];
      if (value !== null && value !== undefined) result[key] = toText(key, value);
    }
    return result;
  }

  function toQueryParameters(params) {
    const result = {};
    let kinds = 0;
    for (const key of keys(params)) {
      const value = params[key];
      if (value === null || value === undefined) continue;
      const meaning = QUERY_PARAMETERS[key.toLowerCase()];
      if (meaning === KIND) kinds++;
      if (meaning === NUMBER && typeof value !== 'number') {
        throw badRequest(`The parameter ${key} must be a number`);
      }
      result[key] = meaning === undefined ? toText(key, value) : value;
    }
    if (kinds !== 1) {
      throw badRequest('A query needs exactly one of _queryId, _queryExpression and _queryFilter');
    }
    return result;
  }

  /**
   * A context among the arguments goes to the host as a name. A script can only choose among the contexts that it was
   * given: one that it makes up, or a copy, might name somebody else, and the callee would believe it.
   */
  function nameContext(name, args, index) {
    const context = args[index];
    if (context === undefined || context === null) return;
    const link = sandbox.contextNameOf(context);
    if (link === undefined) throw methodNotFound(name, args);
    args[index] = link;
  }

  function define(name, least, ...pattern) {
    const operation = `svc.${name}`;
    const params = pattern.length;
    const full = [...pattern, ...TAIL];
    return (...given) => {
      const args = matchArguments(name, withoutFunctions(given), least, full);
      nameContext(name, args, params + 2);
      if (args.length > params) args[params] = toParameters(args[params]);
      return ask(operation, args);
    };
  }

  function read(...given) {
    const args = matchArguments('read', withoutFunctions(given), 1, READ);
    nameContext('read', args, 3);
    if (args.length > 1) args[1] = toParameters(args[1]);
    return askOrNull('svc.read', args);
  }

  function query(...given) {
    const last = given[given.length - 1];
    const callback = typeof last === 'function' ? last : undefined;
    const args = matchArguments('query', withoutFunctions(given), 2, QUERY);
    nameContext('query', args, 3);
    args[1] = toQueryParameters(args[1]);
    const answer = ask('svc.query', args);
    if (callback === undefined) return answer;
    const { result, ...rest } = answer;
    for (const entry of result ?? []) {
      try {
        callback(entry);
      } catch {
        // Scripts of the field rely on a query going on past a failing callback.
      }
    }
    return rest;
  }

  /** `actionId` may be left out; everything after it then moves up by one. */
  function action(...given) {
    const args = withoutFunctions(given);
    if (args.length < 3) throw methodNotFound('action', args);
    const isShifted = isObject(args[1]);
    const [name, first, second, ...rest] = args;
    // The oldest form, (name, params, content).
    const isOldest = isShifted && typeof first._action === 'string' && !second?._action;
    const shifted = isOldest ? [name, null, second, first, ...rest] : [name, null, first, second, ...rest];
    const matched = matchArguments('action', isShifted ? shifted : args, 3, ACTION);
    nameContext('action', matched, 5);
    const [path, actionId, content, params, fields, context] = matched;
    const id = actionId === null ? params?._action : actionId;
    if (typeof id !== 'string') throw badRequest(`An action on ${path} needs an action id`);
    const parameters = toParameters(params);
    if (parameters !== null) delete parameters._action;
    return host('svc.action', path, id, content, parameters, fields, context);
  }

  function encrypt(...args) {
    return host('svc.encrypt', ...matchArguments('encrypt', args, 3, [any, stringOrNull, string]));
  }

  function decrypt(...args) {
    return host('svc.decrypt', ...matchArguments('decrypt', args, 1, [object]));
  }

  function hash(...args) {
    return host('svc.hash', ...matchArguments('hash', args, 2, [any, stringOrNull]));
  }

  function isEncrypted(...args) {
    const [value] = matchArguments('isEncrypted', args, 0, [any]);
    return isObject(value) && host('svc.isEncrypted', value);
  }

  function isHashed(...args) {
    const [value] = matchArguments('isHashed', args, 0, [any]);
    return isObject(value) && host('svc.isHashed', value);
  }

  function generateRandomString(...args) {
    return host('svc.generateRandomString', ...matchArguments('generateRandomString', args, 2, [array, any]));
  }

  function matches(...args) {
    if (args.length < 2) return false;
    const [plain, hashed] = matchArguments('matches', args, 2, [any, any]);
    return host('svc.matches', String(plain), hashed);
  }

  globalThis.svc = {
    create: define('create', 3, string, stringOrNull, object),
    read,
    update: define('update', 3, string, stringOrNull, object),
    patch: define('patch', 3, string, stringOrNull, array),
    delete: define('delete', 2, string, stringOrNull),
    query,
    action,
    encrypt,
    decrypt,
    hash,
    isEncrypted,
    isHashed,
    matches,
    generateRandomString,
  };
};
