import { describe, expect, test } from 'vitest';
import { compileGroovy, GroovySyntaxError } from '../../../src/groovy/index.ts';

const compile = (source: string) => compileGroovy({ name: 'tested.groovy', source });

function mistakesOf(source: string): string[] {
  try {
    compile(source);
  } catch (error) {
    if (error instanceof GroovySyntaxError) return error.mistakes.map(({ message }) => message);
    throw error;
  }
  throw new Error('It compiles');
}

describe('classes that do not exist', () => {
  test('are told all at once, each with its place and what to write instead', () => {
    const source = `import groovyx.net.http.RESTClient
import groovy.sql.*
def client = new RESTClient('https://there')
Sql sql = null
try { new File('/x').text } catch (com.acme.Bad e) { }
println RESTClient.name`;
    expect(mistakesOf(source)).toEqual([
      expect.stringMatching(/^unable to resolve class groovyx\.net\.http\.RESTClient @ line 1, .*http task/),
      expect.stringMatching(/^unable to resolve class Sql @ line 4, column 1\. .*svc\.query/),
      expect.stringMatching(/^unable to resolve class File @ line 5, column 11\. .*no files/),
      expect.stringMatching(/^unable to resolve class com\.acme\.Bad @ line 5, column 36\. There is no Java/),
    ]);
    expect(() => compile(source)).toThrow(/RESTClient @ line 1.*\n.*Sql @ line 4.*\n.*File.*\n.*Bad/);
  });

  test('are told together with the mistake that stands among them', () => {
    expect(mistakesOf('import a.B\ndef b = new B()\nSystem.exit(1)')).toEqual([
      expect.stringContaining('unable to resolve class a.B @ line 1'),
      expect.stringContaining('@ line 3'),
    ]);
  });

  test('fail where a static import of them is called', () => {
    expect(mistakesOf('import static com.acme.Util.go\ngo(1)')).toEqual([
      expect.stringContaining('unable to resolve class com.acme.Util @ line 1'),
    ]);
  });

  test('are a warning where they are imported and nothing else', () => {
    const { warnings } = compile(
      'import com.example.Unused\nimport com.acme.*\nimport static com.acme.Util.*\nimport java.util.List\n1',
    );
    expect(warnings.map(({ line, message }) => [line, message])).toEqual([
      [1, 'The import com.example.Unused names nothing that exists here, and nothing of the script uses it'],
      [2, 'The import com.acme.* names nothing that exists here, and nothing of the script uses it'],
      [3, 'The import com.acme.Util.* names nothing that exists here, and nothing of the script uses it'],
    ]);
  });

  test('may have the names of variables of the script', () => {
    expect(compile('import com.example.log\ndef log = 1\nlog + 1').warnings).toHaveLength(1);
  });
});
