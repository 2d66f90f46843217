import type { JsonValue } from '#json/index.ts';

export interface ScriptSample {
  readonly title: string;
  readonly source: string;
}

/** What scripts see as `object`. */
export const SCRIPT_OBJECT = {
  _id: 'new',
  userName: 'jdoe',
  givenName: 'Jane',
  sn: 'Doe',
  accountStatus: 'active',
  manager: 'managed/user/user-1',
  deputy: 'managed/user/user-2',
  assistant: 'managed/user/user-3',
  mentor: 'managed/user/user-4',
  roles: ['employee', 'manager', 'employee'],
};

export const TRIVIAL: ScriptSample = {
  title: 'trivial',
  source: "object.accountStatus === 'active' ? 1 : 2",
};

/** Reads, so that the disk has no part in it: four objects by id, one query. */
export const FIFTY_LINES: ScriptSample = {
  title: '50 lines, 5 host calls',
  source: `
function normalize(text) {
  return String(text).trim().toLowerCase().replace(/\\s+/g, ' ');
}
function initials(name) {
  return name.split(' ').map(function (part) { return part.charAt(0); }).join('');
}
function fullName(person) {
  return person.givenName + ' ' + person.sn;
}
var problems = [];
var seen = {};
var people = [object.manager, object.deputy, object.assistant, object.mentor].map(function (path) {
  return svc.read(path);
});
var found = svc.query('managed/user', { _queryFilter: 'userName eq "user5"' });
if (!object.userName || object.userName.length < 3) {
  problems.push({ property: 'userName', message: 'too short' });
}
for (var i = 0; i < people.length; i++) {
  var key = normalize(fullName(people[i]));
  seen[key] = (seen[key] || 0) + 1;
  if (people[i].accountStatus !== 'active') {
    problems.push({ property: 'manager', message: people[i]._id + ' is not active' });
  }
}
found.result.forEach(function (other) {
  if (other.userName === object.userName && other._id !== object._id) {
    problems.push({ property: 'userName', message: 'taken by ' + other._id });
  }
});
var display = normalize(fullName(object));
if (seen[display]) {
  display = display + ' ' + (seen[display] + 1);
}
var roles = people.reduce(function (all, person) {
  return all.concat(person.roles || []);
}, object.roles).filter(function (role, index, all) {
  return all.indexOf(role) === index;
}).sort();
var mail = normalize(object.givenName) + '.' + normalize(object.sn) + '@example.com';
if (!/^[a-z0-9.]+@[a-z0-9.]+$/.test(mail)) {
  problems.push({ property: 'mail', message: 'not valid' });
}
object.displayName = display;
object.initials = initials(fullName(object));
object.mail = mail;
object.roles = roles;
object.managerName = fullName(people[0]);
object.checksum = JSON.stringify(object).length;
({ problems: problems.length, display: display, roles: roles.length, found: found.result.length });
`,
};

export const SCRIPT_SAMPLES = [TRIVIAL, FIFTY_LINES];

/** What the host calls of the samples come to where there is no server. */
export function answerFromMemory(operation: string, args: readonly JsonValue[]): JsonValue {
  const user = {
    _id: String(args[0]),
    _rev: '0',
    userName: 'user1',
    givenName: 'Given',
    sn: 'Name',
    accountStatus: 'active',
    roles: ['employee', 'printer'],
  };
  return operation.endsWith('query') ? { result: [user], resultCount: 1 } : user;
}
