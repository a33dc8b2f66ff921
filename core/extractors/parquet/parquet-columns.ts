import type { ParquetType, SchemaElement, SchemaTree } from 'hyparquet';

/** Levels below the root. A hostile schema could be a chain. */
const MAX_DEPTH = 64;
/** What lists and maps are made of (parquet-format, LogicalTypes.md). Their names say nothing. */
const INSIDE_LISTS: ReadonlySet<string> = new Set([
  'list',
  'bag',
  'array',
  'element',
  'item',
  'array_element',
]);
const KEYS_AND_VALUES = 'key_value';

/** A column of values: one at the bottom of the schema. */
export type ParquetColumn = {
  /** `address.city` of nested columns, without the parts of lists. */
  readonly name: string;
  readonly path: string;
  readonly element: SchemaElement;
  readonly type: ParquetType;
  readonly typeLength: number | undefined;
  /** The level of a value that is there, and of one that is the first in a list of the deepest level. */
  readonly mostDefined: number;
  readonly mostRepetitions: number;
};

/** The columns of a schema in order, at most as many as asked for. */
export function* columnsOf(tree: SchemaTree): Generator<ParquetColumn> {
  for (const child of tree.children) yield* columnsIn(child, [], 0, 0);
}

function* columnsIn(
  { element, children, path }: SchemaTree,
  above: readonly string[],
  defined: number,
  repeated: number,
): Generator<ParquetColumn> {
  const mostDefined = defined + (element.repetition_type === 'REQUIRED' ? 0 : 1);
  const mostRepetitions = repeated + (element.repetition_type === 'REPEATED' ? 1 : 0);
  const isPart = above.length > 0 && (INSIDE_LISTS.has(element.name) || element.name === KEYS_AND_VALUES);
  const names = isPart ? above : [...above, element.name];
  const { type, type_length: typeLength } = element;
  if (type !== undefined) {
    yield {
      ...{ name: names.join('.'), path: path.join('.'), element, type, typeLength },
      ...{ mostDefined, mostRepetitions },
    };
  }
  if (path.length > MAX_DEPTH) return;
  for (const child of children) yield* columnsIn(child, names, mostDefined, mostRepetitions);
}
