import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Language, type Node, Parser } from 'web-tree-sitter';

type BicepModule = { name: string; path: string; params: string[] };
export type BicepFile = {
  /** Below the folder that was read, with slashes. */
  file: string;
  text: string;
  /** Lines with what the grammar does not understand. */
  errors: string[];
  params: { name: string; hasDefault: boolean }[];
  outputs: string[];
  /** Resource types with their versions. */
  resources: string[];
  modules: BicepModule[];
  /** Names that are declared, lambda parameters and loop variables too. */
  declared: Set<string>;
  /** Names that are used as values. */
  used: Set<string>;
};

export async function bicepParser(): Promise<Parser> {
  await Parser.init();
  const grammar = import.meta.resolve('tree-sitter-bicep/tree-sitter-bicep.wasm');
  const parser = new Parser();
  parser.setLanguage(await Language.load(fileURLToPath(grammar)));
  return parser;
}

/** Every Bicep file below a folder, as its grammar understands it. */
export async function bicepFilesIn(folder: string): Promise<BicepFile[]> {
  const parser = await bicepParser();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.bicep'))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8');
      const tree = parser.parse(text);
      if (tree === null) throw new Error(`${file} was not parsed.`);
      return { file: file.replaceAll(path.sep, '/'), text, ...read(tree.rootNode) };
    });
}

function read(root: Node): Omit<BicepFile, 'file' | 'text'> {
  const nodes = root.descendantsOfType([
    'parameter_declaration',
    'output_declaration',
    'resource_declaration',
    'module_declaration',
  ]);
  const of = (type: string) => nodes.filter((node) => node.type === type);
  const nameOf = (node: Node) => node.namedChildren.find((child) => child?.type === 'identifier')?.text ?? '';
  return {
    errors: errorsIn(root),
    params: of('parameter_declaration').map((node) => ({
      name: nameOf(node),
      hasDefault: node.children.some((child) => child?.type === '='),
    })),
    outputs: of('output_declaration').map(nameOf),
    resources: of('resource_declaration').map((node) => firstString(node)),
    modules: of('module_declaration').map((node) => ({
      name: nameOf(node),
      path: firstString(node),
      params: keysOf(
        propertyOf(
          node.namedChildren.find((child) => child?.type === 'object'),
          'params',
        ),
      ),
    })),
    ...namesIn(root),
  };
}

const firstString = (node: Node): string => node.descendantsOfType('string_content')[0]?.text ?? '';

const properties = (object: Node | null | undefined): Node[] =>
  (object?.namedChildren ?? []).filter((child) => child?.type === 'object_property') as Node[];

const propertyOf = (object: Node | null | undefined, key: string): Node | null | undefined =>
  properties(object).find((property) => property.namedChildren[0]?.text === key)?.namedChildren[1];

const keysOf = (object: Node | null | undefined): string[] =>
  properties(object).map((property) => property.namedChildren[0]?.text ?? '');

function errorsIn(node: Node): string[] {
  if (node.isError || node.isMissing) return [`${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`];
  return node.children.flatMap((child) => (child === null ? [] : errorsIn(child)));
}

const DECLARING = /_declaration$|^lambda_expression$|^for_loop_parameters$|^for_statement$/;

function namesIn(root: Node): { declared: Set<string>; used: Set<string> } {
  const declared = new Set<string>();
  const used = new Set<string>();
  for (const node of root.descendantsOfType('identifier')) {
    const parent = node.parent;
    if (parent === null) continue;
    const first = parent.namedChildren[0]?.id === node.id;
    if (DECLARING.test(parent.type) && first) declared.add(node.text);
    else if (parent.type !== 'object_property' || !first) used.add(node.text);
  }
  return { declared, used };
}
