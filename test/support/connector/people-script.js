// The connector of PeopleService.
const NAMES = { __NAME__: 'login', __PASSWORD__: 'password' };
const fieldOf = (attribute) => NAMES[attribute] ?? attribute;

function ask(method, path, content) {
  const response = http.request({
    method,
    url: path,
    headers: content === undefined ? {} : { 'Content-Type': 'application/json' },
    body: content === undefined ? null : JSON.stringify(content),
  });
  const body = response.status === 204 ? {} : JSON.parse(response.body);
  if (response.status < 300) return body;
  const detail = response.status === 409 ? { existingId: body.id } : {};
  throw { code: response.status, message: `It answered ${response.status}`, detail };
}

function entryOf({ id, login, ...attributes }) {
  return { id, name: login, attributes };
}

exports.test = () => ask('GET', 'people?size=1');

exports.schema = () => [
  {
    name: '__ACCOUNT__',
    attributes: [
      { name: '__NAME__', isRequired: true },
      'title',
      { name: 'age', type: 'integer' },
      { name: 'mails', isMultiValued: true },
      { name: '__PASSWORD__', type: 'secret' },
    ],
  },
];

exports.search = ({ pageSize, cookie }) => {
  const { people, next } = ask('GET', `people?size=${pageSize}&after=${cookie ?? ''}`);
  return { entries: people.map(entryOf), cookie: next };
};

exports.get = ({ id }) => entryOf(ask('GET', `people/${encodeURIComponent(id)}`));

exports.create = ({ attributes }) => {
  const person = {};
  for (const [name, values] of Object.entries(attributes)) {
    person[fieldOf(name)] = name === 'mails' ? values : values[0];
  }
  return ask('POST', 'people', person).id;
};

exports.update = ({ id, deltas }) => {
  const path = `people/${encodeURIComponent(id)}`;
  const before = ask('GET', path);
  const change = {};
  for (const { name, replace, add = [], remove = [] } of deltas) {
    const kept = (before[name] ?? []).filter?.((value) => !remove.includes(value) && !add.includes(value));
    const values = replace ?? [...kept, ...add];
    change[fieldOf(name)] = values.length === 0 ? null : name === 'mails' ? values : values[0];
  }
  ask('PATCH', path, change);
};

exports.remove = ({ id }) => ask('DELETE', `people/${encodeURIComponent(id)}`);

exports.changes = ({ token, mostAtOnce }) => {
  const { changes, next, isLast } = ask(
    'GET',
    `changes?size=${mostAtOnce}&since=${encodeURIComponent(token ?? '')}`,
  );
  const told = changes.map(({ id, person, last }) =>
    last ? { kind: 'delete', id, last: entryOf(last) } : { kind: 'upsert', entry: entryOf(person) },
  );
  return { changes: told, token: next, isLast };
};

exports.authenticate = ({ name, password }) => {
  const { status, body } = http.request({ url: 'login', login: { name, password } });
  if (status === 401) throw { code: 401, message: 'The name or the password is wrong' };
  return JSON.parse(body).id;
};
