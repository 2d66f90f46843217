/** What stands between two texts of a template: `${value}`, `<%= value %>`, `<% code %>`. */
const PARTS = /\$\{([^}]*)\}|<%(=?)([\s\S]*?)%>/g;

/**
 * A template as a Groovy script that prints it to its variable `out`. As in the original a backslash means in a
 * template what it means in a text of a script.
 */
export function templateSource(template: string): string {
  let script = 'out.print("""';
  let end = 0;
  for (const match of template.replace(/\r\n?/g, '\n').matchAll(PARTS)) {
    const [all, braced, equals, coded = ''] = match;
    script += quoted(match.input.slice(end, match.index));
    if (braced !== undefined) script += `\${${braced}}`;
    else script += equals === '=' ? `\${${coded}}` : `""");${coded};\nout.print("""`;
    end = match.index + all.length;
  }
  return `${script}${quoted(template.replace(/\r\n?/g, '\n').slice(end))}""");`;
}

function quoted(text: string): string {
  return text.replaceAll('"', '\\"');
}
