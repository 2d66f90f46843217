import type { JsonValue } from '#json/index.ts';

/** A hook of the field: a manager and colleagues are read, values are put together, problems are listed. */
export const HOOK = {
  groovy: `
def manager = svc.read("managed/user/\${object.manager}")
def department = svc.read("managed/department/\${object.department}")
def found = svc.query('managed/user', [_queryFilter: "department eq \\"\${object.department}\\""])
def problems = []
def seen = [:]
def normalize(text) { text.toString().trim().toLowerCase().replaceAll(/\\s+/, ' ') }
if (!object.userName || object.userName.length() < 3) {
  problems << [property: 'userName', message: 'too short']
}
for (other in found.result) {
  def key = normalize("\${other.givenName} \${other.sn}")
  seen[key] = (seen[key] ?: 0) + 1
  if (other.userName == object.userName && other._id != object._id) {
    problems << [property: 'userName', message: "taken by \${other._id}".toString()]
  }
}
def display = normalize("\${object.givenName} \${object.sn}")
if (seen[display]) display = "\${display} \${seen[display] + 1}".toString()
def roles = ((object.roles ?: []) + (department.roles ?: [])).unique().sort()
def limits = [:]
department.limits.each { name, limit -> limits[name] = limit * ('manager' in roles ? 2 : 1) }
def mail = "\${normalize(object.givenName)}.\${normalize(object.sn)}@\${department.domain}"
if (!(mail ==~ /[a-z0-9.]+@[a-z0-9.]+/)) problems << [property: 'mail', message: 'not valid']
object.displayName = display
object.mail = mail.toString()
object.roles = roles
object.managerName = manager ? "\${manager.givenName} \${manager.sn}".toString() : null
object.limits = limits
[problems: problems, display: display, roles: roles.size()]
`,
  javascript: `
var manager = svc.read('managed/user/' + object.manager);
var department = svc.read('managed/department/' + object.department);
var found = svc.query('managed/user', { _queryFilter: 'department eq "' + object.department + '"' });
var problems = [];
var seen = {};
function normalize(text) { return String(text).trim().toLowerCase().replace(/\\s+/g, ' '); }
if (!object.userName || object.userName.length < 3) {
  problems.push({ property: 'userName', message: 'too short' });
}
for (var i = 0; i < found.result.length; i++) {
  var other = found.result[i];
  var key = normalize(other.givenName + ' ' + other.sn);
  seen[key] = (seen[key] || 0) + 1;
  if (other.userName === object.userName && other._id !== object._id) {
    problems.push({ property: 'userName', message: 'taken by ' + other._id });
  }
}
var display = normalize(object.givenName + ' ' + object.sn);
if (seen[display]) { display = display + ' ' + (seen[display] + 1); }
var roles = (object.roles || []).concat(department.roles || []).filter(function (role, index, all) {
  return all.indexOf(role) === index;
}).sort();
var limits = {};
Object.keys(department.limits).forEach(function (name) {
  limits[name] = department.limits[name] * (roles.indexOf('manager') >= 0 ? 2 : 1);
});
var mail = normalize(object.givenName) + '.' + normalize(object.sn) + '@' + department.domain;
if (!/^[a-z0-9.]+@[a-z0-9.]+$/.test(mail)) { problems.push({ property: 'mail', message: 'not valid' }); }
object.displayName = display;
object.mail = mail;
object.roles = roles;
object.managerName = manager ? manager.givenName + ' ' + manager.sn : null;
object.limits = limits;
({ problems: problems, display: display, roles: roles.length });
`,
};

/** 50 lines with 3 reads, a query and a patch, as a hook of the field looks. */
export const FIFTY_LINE_HOOK = `
var manager = svc.read('managed/user/' + object.manager);
var department = svc.read('managed/department/' + object.department);
var policy = svc.read('config/policy');
var found = svc.query('managed/user', { _queryFilter: 'department eq "' + object.department + '"' });
var problems = [];
var seen = {};
function normalize(text) {
  return String(text).trim().toLowerCase().replace(/\\s+/g, ' ');
}
function initials(name) {
  return name.split(' ').map(function (part) { return part.charAt(0); }).join('');
}
if (!object.userName || object.userName.length < 3) {
  problems.push({ property: 'userName', message: 'too short' });
}
for (var i = 0; i < found.result.length; i++) {
  var other = found.result[i];
  var key = normalize(other.givenName + ' ' + other.sn);
  seen[key] = (seen[key] || 0) + 1;
  if (other.userName === object.userName && other._id !== object._id) {
    problems.push({ property: 'userName', message: 'taken by ' + other._id });
  }
}
var display = normalize(object.givenName + ' ' + object.sn);
if (seen[display]) {
  display = display + ' ' + (seen[display] + 1);
}
var roles = (object.roles || []).concat(department.roles || []).filter(function (role, index, all) {
  return all.indexOf(role) === index;
}).sort();
var limits = {};
Object.keys(policy.limits).forEach(function (name) {
  limits[name] = policy.limits[name] * (roles.indexOf('manager') >= 0 ? 2 : 1);
});
var mail = normalize(object.givenName) + '.' + normalize(object.sn) + '@' + department.domain;
if (!/^[a-z0-9.]+@[a-z0-9.]+$/.test(mail)) {
  problems.push({ property: 'mail', message: 'not valid' });
}
object.displayName = display;
object.initials = initials(object.givenName + ' ' + object.sn);
object.mail = mail;
object.roles = roles;
object.managerName = manager ? manager.givenName + ' ' + manager.sn : null;
object.limits = limits;
object.checksum = JSON.stringify(object).length;
svc.patch('managed/department/' + object.department, null, [
  { operation: 'replace', field: '/lastChange', value: object.userName }
]);
var answer = { problems: problems, display: display, roles: roles.length };
answer;
`;

/** What hooks of the samples see as `object`. */
export const HOOK_OBJECT = {
  _id: 'u1',
  userName: 'jdoe',
  givenName: 'Jane',
  sn: 'Doe',
  department: 'd1',
  manager: 'm1',
  status: 'active',
  roles: ['employee', 'manager'],
};

const ANSWERS: Readonly<Record<string, JsonValue>> = {
  'managed/user/m1': { _id: 'm1', givenName: 'Max', sn: 'Moe' },
  'managed/department/d1': {
    _id: 'd1',
    domain: 'example.com',
    roles: ['employee', 'printer'],
    limits: { a: 1, b: 2, c: 3 },
  },
  'config/policy': { limits: { a: 1, b: 2, c: 3 } },
  'managed/user': {
    result: Array.from({ length: 10 }, (_, n) => ({
      _id: `u${n}`,
      userName: `u${n}`,
      givenName: 'Jane',
      sn: `D${n}`,
    })),
  },
};

/** What their resource calls come to: everything is at hand, so that only the scripts cost. */
export function answerHook(resource: unknown): JsonValue {
  return ANSWERS[String(resource)] ?? {};
}
