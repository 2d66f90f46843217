// The page of the API description: everything on it comes from openapi.json.

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** Makes an element; strings become text, never markup. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const code = (text) => element('code', {}, text);

function parametersOf(operation, item) {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  if (parameters.length === 0) return [];
  const rows = parameters.map((parameter) =>
    element(
      'tr',
      {},
      element('td', {}, code(parameter.name)),
      element('td', {}, parameter.in),
      element('td', {}, parameter.schema?.enum?.join(', ') ?? parameter.description ?? ''),
    ),
  );
  return [element('h4', {}, 'Parameters'), element('table', {}, ...rows)];
}

/** What a reference means stands in its place. */
function resolve(document_, value) {
  if (typeof value?.$ref !== 'string') return value;
  const { $ref, ...beside } = value;
  return { ...document_.components.schemas[$ref.split('/').at(-1)], ...beside };
}

function schemaOf(document_, title, content) {
  const schema = content?.['application/json']?.schema;
  if (schema === undefined || Object.keys(schema).length === 0) return [];
  const text = JSON.stringify(schema, (_key, value) => resolve(document_, value), 2);
  return [element('h4', {}, title), element('pre', {}, code(text))];
}

function curlOf(document_, path, verb, operation) {
  const action = operation.parameters?.find(({ name, required }) => name === '_action' && required);
  const query = action === undefined ? '' : `?_action=${action.schema.enum?.[0] ?? '…'}`;
  const body = operation.requestBody?.required ? " -H Content-Type:application/json -d '{…}'" : '';
  const url = location.origin + document_.servers[0].url + path + query;
  return `curl -u svc-admin -X ${verb.toUpperCase()} '${url}'${body}`;
}

function operationView(document_, path, verb, item) {
  const operation = item[verb];
  return element(
    'details',
    { id: operation.operationId, 'data-search': `${verb} ${path} ${operation.summary}`.toLowerCase() },
    element(
      'summary',
      {},
      element('span', { class: 'verb' }, verb.toUpperCase()),
      code(document_.servers[0].url + path),
      element('span', { class: 'summary' }, operation.summary),
    ),
    element('pre', {}, code(curlOf(document_, path, verb, operation))),
    ...parametersOf(operation, item),
    ...schemaOf(document_, 'Body', operation.requestBody?.content),
    ...schemaOf(document_, 'Answer', (operation.responses['200'] ?? operation.responses['201'])?.content),
  );
}

function show(document_) {
  document.querySelector('#title').textContent = `${document_.info.title} ${document_.info.version}`;
  document.querySelector('#description').textContent = document_.info.description;
  const groups = new Map();
  for (const [path, item] of Object.entries(document_.paths)) {
    for (const verb of VERBS.filter((each) => item[each] !== undefined)) {
      const [tag] = item[verb].tags;
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationView(document_, path, verb, item));
    }
  }
  const sections = [...groups].map(([tag, views]) =>
    element('section', {}, element('h2', {}, tag), ...views),
  );
  document.querySelector('#operations').replaceChildren(...sections);
}

function search(words) {
  for (const section of document.querySelectorAll('section')) {
    let found = false;
    for (const view of section.querySelectorAll('details')) {
      view.hidden = !words.every((word) => view.dataset.search.includes(word));
      found ||= !view.hidden;
    }
    section.hidden = !found;
  }
}

document.querySelector('#search').addEventListener('input', (event) => {
  search(event.target.value.toLowerCase().split(/\s+/));
});

const response = await fetch('docs/openapi.json');
show(await response.json());
