// `http` of a script that is a connector: it asks the host, which knows where it may go and by whose credentials.
({ host, reviveBinding }) => {
  reviveBinding('http', (view) => {
    if (view === null || typeof view !== 'object' || view.isOfConnector !== true) return view;
    return Object.freeze({ request: (request) => host('http.request', request ?? null) });
  });
};
