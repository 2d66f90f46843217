import { readdir, readFile } from 'node:fs/promises';
import { compile, type FlowNode, type ProcessDefinition } from '#workflow/engine/index.ts';

const FOLDER = new URL('../../workflow/', import.meta.url);

interface Row {
  readonly variable: string;
  readonly writer: string;
  readonly where: string;
}

/**
 * Who writes which variable of the processes that are shipped, as their files say.
 *
 * @returns lines of a Markdown table
 */
export async function variableOwners(): Promise<string[]> {
  const lines = ['| process | variable | written by | where |', '| --- | --- | --- | --- |'];
  for (const name of (await readdir(FOLDER)).sort()) {
    for (const process of await compile(await readFile(new URL(name, FOLDER), 'utf8'))) {
      for (const { variable, writer, where } of rowsOf(process)) {
        lines.push(`| ${process.key} | ${variable} | ${writer} | ${where} |`);
      }
    }
  }
  return lines;
}

function rowsOf(process: ProcessDefinition): Row[] {
  const nodes = [...process.nodes.values()];
  return [
    {
      variable: '`svccontext`',
      writer: 'the server',
      where: 'in whose name the process acts; shown to nobody',
    },
    ...nodes.flatMap(ofServer),
    ...nodes.flatMap(ofForm),
    ...process.body.dataObjects.map(({ name }) => ofProcess(name, 'data object')),
    ...nodes.flatMap(ofNode),
  ];
}

function ofServer(node: FlowNode): Row[] {
  const row = (name: string | undefined, where: string): Row[] =>
    name === undefined ? [] : [{ variable: `\`${name}\``, writer: 'the server', where }];
  if (node.kind === 'startEvent') return row(node.initiator, 'who has started it');
  if (node.kind === 'userTask') return row(node.completerVariable, `who has completed \`${node.id}\``);
  return [];
}

function ofForm(node: FlowNode): Row[] {
  if (node.kind !== 'startEvent' && node.kind !== 'userTask') return [];
  const writer = node.kind === 'startEvent' ? 'whoever starts it' : `whoever completes \`${node.id}\``;
  const where = `form of \`${node.id}\``;
  if (node.formProperties.length === 0)
    return [{ variable: '*none*', writer, where: `\`${node.id}\` has no form` }];
  return node.formProperties
    .filter(({ isWritable }) => isWritable)
    .map(({ id, variable, type = 'anything', isRequired }) => ({
      variable: `\`${variable ?? id}\``,
      writer,
      where: `${where}: ${type}${isRequired ? ', required' : ''}`,
    }));
}

const SETS = /execution\.setVariable\(\s*['"](\w+)['"]/g;

function ofNode(node: FlowNode): Row[] {
  if (node.kind === 'scriptTask') {
    const names = [...node.script.source.matchAll(SETS)].map(([, name]) => name!);
    const all = node.resultVariable === undefined ? names : [...names, node.resultVariable];
    return all.map((name) => ofProcess(name, `script \`${node.id}\``));
  }
  if (node.kind === 'boundaryEvent' && node.trigger.kind === 'error' && node.trigger.variable !== undefined) {
    return [ofProcess(node.trigger.variable, `error at \`${node.id}\``)];
  }
  return [];
}

function ofProcess(name: string, where: string): Row {
  return { variable: `\`${name}\``, writer: 'the process', where };
}
