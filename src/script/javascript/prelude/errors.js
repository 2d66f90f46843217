// Errors that cross the border, in both directions.
(sandbox) => {
  const { parse, stringify } = JSON;
  const OutOfLimits = InternalError;
  const references = new WeakMap();

  /**
   * The error that a failed resource call throws: an Error with `code`, `reason`, `detail`, and the shape that
   * scripts written for the Java world expect under `javaException`.
   */
  sandbox.toError = ({ code, reason, message, detail, cause }, reference) => {
    const error = new Error(message);
    error.code = code;
    error.reason = reason;
    if (detail !== undefined) error.detail = detail;
    const chained =
      cause === undefined
        ? null
        : { ...cause, localizedMessage: cause.message, getMessage: () => cause.message };
    const javaException = {
      code,
      reason,
      message,
      localizedMessage: message,
      detail: detail === undefined ? null : detail,
      cause: chained,
      getCode: () => code,
      getReason: () => reason,
      getMessage: () => message,
      getLocalizedMessage: () => message,
      getDetail: () => (detail === undefined ? null : detail),
      getCause: () => chained,
      toString: () => message,
    };
    hide(error, 'javaException', javaException);
    if (chained !== null) hide(error, 'cause', chained);
    if (reference !== undefined) {
      references.set(error, reference);
      references.set(javaException, reference);
    }
    return error;
  };

  /** What is told to the host of something that was thrown. Must survive whatever a script throws. */
  sandbox.describe = (thrown) => {
    try {
      return { __proto__: null, ...(limitOf(thrown) ?? describe(thrown)) };
    } catch {
      return {
        __proto__: null,
        thrown: null,
        message: 'The script threw something that cannot be described',
      };
    }
  };

  function limitOf(thrown) {
    // JSON.parse makes syntax errors of everything.
    if (!(thrown instanceof OutOfLimits) && !(thrown instanceof SyntaxError)) return undefined;
    const { message } = thrown;
    if (message === 'out of memory' || message === 'string too long') return { limit: 'memory' };
    return message === 'stack overflow' ? { limit: 'stack' } : undefined;
  }

  function describe(thrown) {
    const message = toText(thrown);
    const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
    if (!isObject) return { thrown: toJson(thrown, message), message };
    const reference = references.get(thrown);
    if (!(thrown instanceof Error)) return { thrown: toJson(thrown, message), message, reference };
    const view = { name: String(thrown.name), message: String(thrown.message), ...thrown };
    return {
      thrown: toJson(view, message),
      message,
      reference,
      name: String(thrown.name),
      stack: String(thrown.stack),
    };
  }

  function toText(thrown) {
    if (thrown instanceof Error || typeof thrown !== 'object' || thrown === null) return String(thrown);
    if (typeof thrown.message === 'string') return thrown.message;
    const text = stringify(thrown);
    return text === undefined ? String(thrown) : text;
  }

  function toJson(value, message) {
    try {
      const text = stringify(value);
      return text === undefined ? null : parse(text);
    } catch {
      return { message };
    }
  }

  function hide(target, name, value) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  }
};
