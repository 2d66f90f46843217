// `context`: a chain of links, the innermost first, each of which can be asked for the others. Read-only.
({ reviveBinding, markContext }) => {
  const { defineProperty, freeze, hasOwn, keys } = Object;

  function hide(target, name, value) {
    defineProperty(target, name, { value, enumerable: false });
  }

  /** Gives a place in the chain the functions that look from there to the outside. */
  function addLookUps(target, outer) {
    const find = (name) => outer().find((link) => link.name === String(name)) ?? null;
    hide(target, 'containsContext', (name) => find(name) !== null);
    hide(target, 'asContext', find);
    hide(target, 'getContext', (name) => {
      const link = find(name);
      if (link === null) throw new Error(`There is no context named '${name}'`);
      return link;
    });
    hide(target, 'getParent', () => outer()[1] ?? null);
  }

  /** Names of headers are in lower case, and are found in any. */
  const anyCase = {
    get: (headers, name) =>
      typeof name === 'string' && !(name in headers) ? headers[name.toLowerCase()] : headers[name],
    has: (headers, name) => name in headers || (typeof name === 'string' && name.toLowerCase() in headers),
  };

  reviveBinding('context', (view) => {
    if (view === null || typeof view !== 'object' || !hasOwn(view, 'root')) return view;
    if (view.http?.headers !== undefined) view.http.headers = new Proxy(view.http.headers, anyCase);
    const names = keys(view).filter((name) => name !== 'caller');
    const links = names.map((name) => view[name]);
    const rootId = view.root.id;
    links.forEach((link, index) => {
      const name = names[index];
      hide(link, 'class', `${name[0].toUpperCase()}${name.slice(1)}Context`);
      if (name !== 'root') hide(link, 'id', rootId);
      hide(link, 'parent', links[index + 1] ?? null);
      addLookUps(link, () => links.slice(index));
    });
    hide(view, 'current', links[0]);
    hide(view, 'parent', links[1] ?? null);
    hide(view, 'name', links[0].name);
    hide(view, 'id', rootId);
    addLookUps(view, () => links);
    markContext(view, links[0].name);
    for (const link of links) {
      markContext(link, link.name);
      freeze(link);
    }
    return freeze(view);
  });
};
