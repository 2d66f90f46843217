// `failureHandlers` of a script that says what becomes of a change of another system.
({ host, reviveBinding }) => {
  reviveBinding('failureHandlers', (view) => {
    if (view === null || typeof view !== 'object') return view;
    for (const name of Object.keys(view)) {
      view[name] = { invoke: () => host(`failureHandlers.${name}`) };
    }
    return view;
  });
};
