import { readFile } from 'node:fs/promises';
import type { Node } from 'web-tree-sitter';
import { bicepParser } from './bicep.ts';

/** A value of the language: text, number, truth value, null, a list, an object, or a lambda. */
export type BicepValue = unknown;
type Lambda = (value: BicepValue) => BicepValue;
type Scope = ReadonlyMap<string, BicepValue>;

/**
 * A Bicep file with its parameters: what its variables, resources and modules come to. What only Azure knows, such as the
 * id of a resource or an output of a module, is its own expression in angle brackets.
 */
export async function evaluateBicep(
  file: string,
  params: Readonly<Record<string, BicepValue>>,
): Promise<(name: string) => BicepValue> {
  const tree = (await bicepParser()).parse(await readFile(file, 'utf8'));
  if (tree === null) throw new Error(`${file} was not parsed.`);
  const declared = new Map<string, Node>();
  for (const node of tree.rootNode.namedChildren)
    if (node !== null && /^(parameter|variable|resource|module)_declaration$/.test(node.type))
      declared.set(childOf(node, 0).text, node);

  function lookUp(name: string): BicepValue {
    const node = declared.get(name);
    if (node === undefined) throw new Error(`${file} declares no ${name}.`);
    if (node.type === 'parameter_declaration') {
      if (name in params) return params[name];
      if (!node.children.some((child) => child?.type === '=')) throw new Error(`${name} has no value.`);
    }
    return evaluate(childOf(node, -1), new Map());
  }

  function evaluate(node: Node, scope: Scope): BicepValue {
    const of = (index: number) => evaluate(childOf(node, index), scope);
    switch (node.type) {
      case 'string':
        return node.namedChildren.map((part) => partOf(part, scope)).join('');
      case 'number':
        return Number(node.text);
      case 'boolean':
        return node.text === 'true';
      case 'null':
        return null;
      case 'array':
        return node.namedChildren.flatMap((each) => (each === null ? [] : [evaluate(each, scope)]));
      case 'object':
        return Object.fromEntries(
          node.namedChildren.flatMap((each) =>
            each?.type === 'object_property' ? [entryOf(each, scope)] : [],
          ),
        );
      case 'ternary_expression':
        return of(of(0) === true ? 1 : 2);
      case 'identifier':
        return scope.has(node.text) ? scope.get(node.text) : lookUp(node.text);
      case 'member_expression':
        return memberOf(node, scope);
      case 'lambda_expression':
        return lambdaOf(node, (inner) => evaluate(childOf(node, 1), inner), scope);
      case 'call_expression':
        return callOf(node, scope);
      default:
        throw new Error(`A ${node.type} is not evaluated: ${node.text.slice(0, 80)}`);
    }
  }

  const partOf = (part: Node | null, scope: Scope): string => {
    if (part === null) return '';
    return part.type === 'interpolation' ? String(evaluate(childOf(part, 0), scope)) : part.text;
  };

  const entryOf = (property: Node, scope: Scope): [string, BicepValue] => {
    const key = childOf(property, 0);
    const name = key.type === 'identifier' ? key.text : String(evaluate(key, scope));
    return [name, evaluate(childOf(property, 1), scope)];
  };

  function memberOf(node: Node, scope: Scope): BicepValue {
    const [object, member] = [childOf(node, 0), childOf(node, 1).text];
    // The grammar reads `x => x.key` as a member of the lambda.
    if (object.type === 'lambda_expression')
      return lambdaOf(object, (inner) => propertyIn(evaluate(childOf(object, 1), inner), member), scope);
    const isOfAzure =
      /^resource|^module/.test(declared.get(object.text)?.type ?? '') && !scope.has(object.text);
    const value = isOfAzure ? '<>' : evaluate(object, scope);
    return typeof value === 'string' && value.startsWith('<') ? `<${node.text}>` : propertyIn(value, member);
  }

  const lambdaOf =
    (node: Node, body: (scope: Scope) => BicepValue, scope: Scope): Lambda =>
    (value) =>
      body(new Map([...scope, [childOf(node, 0).text, value]]));

  function callOf(node: Node, scope: Scope): BicepValue {
    const name = childOf(node, 0).text;
    const builtIn = FUNCTIONS[name];
    if (builtIn === undefined) return `<${node.text}>`;
    const args = childOf(node, 1).namedChildren.flatMap((each) =>
      each === null ? [] : [evaluate(each, scope)],
    );
    return builtIn(...args);
  }

  return lookUp;
}

const childOf = (node: Node, index: number): Node => {
  const child = node.namedChildren.at(index);
  if (child === null || child === undefined) throw new Error(`Nothing is at ${index}: ${node.text}`);
  return child;
};

export function propertyIn(value: BicepValue, ...names: readonly (string | number)[]): BicepValue {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !(name in found))
      throw new Error(`There is no ${name}.`);
    found = (found as Record<string | number, BicepValue>)[name];
  }
  return found;
}

const itemsOf = (object: BicepValue) =>
  Object.entries(object as object)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value }));

const listOf = (value: BicepValue): readonly BicepValue[] => {
  if (!Array.isArray(value)) throw new Error('It is no list.');
  return value;
};

/** Functions of the language, as its reference describes them. Others are of Azure. */
const FUNCTIONS: Readonly<Record<string, (...args: BicepValue[]) => BicepValue>> = {
  concat: (...lists) => lists.flatMap(listOf),
  empty: (value) => (typeof value === 'object' ? Object.keys(value ?? {}).length === 0 : value === ''),
  items: itemsOf,
  json: (text) => JSON.parse(String(text)),
  map: (list, lambda) => listOf(list).map((each) => (lambda as Lambda)(each)),
  replace: (text, from, to) => String(text).replaceAll(String(from), String(to)),
  string: String,
  toLower: (text) => String(text).toLowerCase(),
  toObject: (list, key, value = (each: BicepValue) => each) =>
    Object.fromEntries(listOf(list).map((each) => [(key as Lambda)(each), (value as Lambda)(each)])),
  // Later objects win.
  union: (...objects) => Object.assign({}, ...objects),
  uriComponent: (text) => encodeURIComponent(String(text)),
};
