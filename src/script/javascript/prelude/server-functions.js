// console, logger, identityServer.
(sandbox) => {
  const { host, matchArguments } = sandbox;
  const own = sandbox.signatures.identityServer;

  function toText(value) {
    if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
    const text = JSON.stringify(value);
    return text === undefined ? String(value) : text;
  }

  /** Each `{}` takes the next argument; arguments without a place are left out. */
  function format(pattern, ...args) {
    let next = 0;
    return toText(pattern).replaceAll('{}', (place) => (next < args.length ? toText(args[next++]) : place));
  }

  globalThis.console = {
    // What is no text is left out, as scripts of the field expect.
    log(...values) {
      const texts = values.filter((value) => typeof value === 'string');
      if (texts.length > 0) host('console.log', texts.join(' '));
    },
  };

  globalThis.logger = {};
  for (const level of ['trace', 'debug', 'info', 'warn', 'error']) {
    logger[level] = (...args) => {
      host(`logger.${level}`, format(...args));
      return null;
    };
  }

  globalThis.identityServer = {
    getProperty(...args) {
      const [name, fallback, useCache] = matchArguments('getProperty', args, own.getProperty);
      return host('identityServer.getProperty', name, fallback, useCache === true);
    },
  };
  for (const name of ['getWorkingLocation', 'getProjectLocation', 'getInstallLocation']) {
    identityServer[name] = (...args) => {
      matchArguments(name, args, own[name]);
      return host(`identityServer.${name}`);
    };
  }
};
