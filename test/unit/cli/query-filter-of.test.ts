// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are queries of other servers
import { describe, expect, it } from 'vitest';
import { filterOfQuery, repoJsonOf } from '../../../src/cli/import/query-filter-of.ts';

const FROM = `FROM \${_dbSchema}.\${_mainTable} obj INNER JOIN \${_dbSchema}.\${_propTable} prop ON obj.id = prop.\${_mainTable}_id
  INNER JOIN \${_dbSchema}.objecttypes objtype ON objtype.id = obj.objecttypes_id`;

describe('a query of a repository in SQL', () => {
  it.each([
    [
      `SELECT fullobject ${FROM} WHERE prop.propkey = '/mail' AND prop.propvalue = \${mail} AND objtype.objecttype = \${_resource}`,
      '/mail eq ${mail}',
    ],
    [
      `select obj.fullobject::text ${FROM} where json_extract_path_text(fullobject, 'userName')=\${uid}
        and objtype.objecttype=\${_resource} and json_extract_path_text(obj.fullobject, 'sn') = \${sn}`,
      '/userName eq ${uid} and /sn eq ${sn}',
    ],
  ])('is a filter where it compares properties alone: %#', (text, filter) => {
    expect(filterOfQuery(text)).toBe(filter);
  });

  it.each([
    'select …',
    `SELECT obj.objectid ${FROM} WHERE prop.propkey = '/mail' AND prop.propvalue = \${mail}`,
    `SELECT obj.* ${FROM} WHERE prop.propkey = '/mail' AND prop.propvalue like \${mail}`,
    `SELECT obj.* ${FROM} WHERE prop.propkey = '/mail' AND prop.propvalue = \${mail} OR 1 = 1`,
    `SELECT obj.* ${FROM} WHERE prop.propkey = '/mail' AND prop.propvalue = \${mail} ORDER BY obj.id`,
    `SELECT obj.* ${FROM} WHERE prop.propkey = '/a' AND prop.propvalue = \${a} AND prop.propkey = '/b' AND prop.propvalue = \${b}`,
    `SELECT obj.* ${FROM} WHERE objtype.objecttype = \${_resource}`,
  ])('is none where it does anything else: %#', (text) => {
    expect(filterOfQuery(text)).toBeUndefined();
  });

  it('makes a file of those that are not here by their names, and none where there is none', () => {
    const query = `SELECT obj.* ${FROM} WHERE prop.propkey = '/unit' AND prop.propvalue = \${unit}`;
    const made = repoJsonOf(
      JSON.stringify({ queries: { genericTables: { 'of-unit': query, 'for-userName': query } } }),
    );
    expect(JSON.parse(made ?? '')).toEqual({ queries: { 'of-unit': { _queryFilter: '/unit eq ${unit}' } } });
    expect(repoJsonOf('{"queries": {"genericTables": {"x": "select …"}}}')).toBeUndefined();
    expect(repoJsonOf('no JSON')).toBeUndefined();
  });
});
