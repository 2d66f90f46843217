// `request`: what a script assigns to its members is ignored; what it changes inside `content` stays.
({ reviveBinding }) => {
  const { defineProperty, keys } = Object;

  reviveBinding('request', (request) => {
    if (request === null || typeof request !== 'object' || typeof request.requestType !== 'string')
      return request;
    for (const name of keys(request)) {
      if (name !== 'newResourceId') defineProperty(request, name, { writable: false });
    }
    return request;
  });
};
