/* Has objects checked whose virtual properties may have changed with something that they refer to. */
var PAGE_SIZE = 200;

function checkAll(refs) {
  var byCollection = {};
  refs.forEach(function (ref) {
    var end = ref.lastIndexOf('/');
    var ids = (byCollection[ref.substring(0, end)] = byCollection[ref.substring(0, end)] || []);
    ids.push(decodeURIComponent(ref.substring(end + 1)));
  });
  Object.keys(byCollection)
    .filter(function (collection) {
      return collection.indexOf('managed/') === 0;
    })
    .forEach(function (collection) {
      var filter = '_id in ' + JSON.stringify(byCollection[collection]);
      svc.action(collection, 'triggerSyncCheck', {}, { _queryFilter: filter });
    });
}

/* All that a relationship of an object leads to, page by page. */
exports.checkRelated = function (path, property) {
  var cookie = null;
  do {
    var query = { _queryFilter: 'true', _pageSize: PAGE_SIZE };
    if (cookie) {
      query._pagedResultsCookie = cookie;
    }
    var page = svc.query(path + '/' + property, query);
    checkAll(
      page.result.map(function (edge) {
        return edge._ref;
      }),
    );
    cookie = page.pagedResultsCookie;
  } while (cookie);
};

exports.checkOne = function (path) {
  if (svc.read(path, {}, ['_id']) !== null) {
    svc.action(path, 'triggerSyncCheck', {});
  }
};

/* Whether two states of an object differ in anything but their revision and some properties. */
exports.differ = function (before, after, ignored) {
  function plain(object) {
    return JSON.stringify(
      Object.keys(object || {})
        .filter(function (name) {
          return name !== '_rev' && ignored.indexOf(name) < 0;
        })
        .sort()
        .map(function (name) {
          return [name, object[name]];
        }),
    );
  }
  return plain(before) !== plain(after);
};
