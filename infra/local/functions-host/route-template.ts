/**
 * Route templates of HTTP triggers: `literal`, `{name}`, `{name?}`, `{name:constraint}`, `{*rest}`. Other features of
 * ASP.NET routing (several parameters in one segment, defaults, regex constraints) are refused.
 */

type Literal = { readonly kind: 'literal' /** Lower case. */; readonly text: string };
type Parameter = {
  readonly kind: 'parameter' | 'catchAll';
  readonly name: string;
  readonly optional: boolean;
  /** The constraints in lower case, to compare shapes. */
  readonly constraintText: string;
  readonly accepts: (value: string) => boolean;
};
type Segment = Literal | Parameter;

export type RouteTemplate = {
  readonly segments: readonly Segment[];
  /** The number of path segments that the template can match. The maximum of a catch-all is infinite. */
  readonly minSegments: number;
  readonly maxSegments: number;
};

type Constraint = (value: string) => boolean;

const within = (value: string, pattern: RegExp, min: bigint, max: bigint) =>
  pattern.test(value) && BigInt(value) >= min && BigInt(value) <= max;
const INTEGER = /^-?\d{1,20}$/;
const isLong: Constraint = (value) => within(value, INTEGER, -(2n ** 63n), 2n ** 63n - 1n);
const GUID =
  /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\})$/i;
const isDecimal: Constraint = (value) => /^[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})$/.test(value);

const PLAIN_CONSTRAINTS: Readonly<Record<string, Constraint>> = {
  int: (value) => within(value, INTEGER, -(2n ** 31n), 2n ** 31n - 1n),
  long: isLong,
  bool: (value) => /^(?:true|false)$/i.test(value),
  decimal: isDecimal,
  double: isDecimal,
  float: isDecimal,
  guid: (value) => GUID.test(value),
  alpha: (value) => /^[a-z]*$/i.test(value),
  required: (value) => value !== '',
};

const NUMBER_CONSTRAINTS: Readonly<Record<string, (a: number, b: number | undefined) => Constraint>> = {
  minlength: (min) => (value) => value.length >= min,
  maxlength: (max) => (value) => value.length <= max,
  length: (min, max) => (value) => value.length >= min && value.length <= (max ?? min),
  min: (min) => (value) => isLong(value) && Number(value) >= min,
  max: (max) => (value) => isLong(value) && Number(value) <= max,
  range: (min, max) => (value) => isLong(value) && Number(value) >= min && Number(value) <= (max ?? min),
};

function parseConstraint(text: string): Constraint {
  const [, name = '', first, second] = /^([a-z]+)(?:\((-?\d{1,15})(?:,(-?\d{1,15}))?\))?$/i.exec(text) ?? [];
  const lower = name.toLowerCase();
  const plain = Object.hasOwn(PLAIN_CONSTRAINTS, lower) ? PLAIN_CONSTRAINTS[lower] : undefined;
  if (plain !== undefined && first === undefined) return plain;
  const counted = Object.hasOwn(NUMBER_CONSTRAINTS, lower) ? NUMBER_CONSTRAINTS[lower] : undefined;
  if (counted !== undefined && first !== undefined) {
    return counted(Number(first), second === undefined ? undefined : Number(second));
  }
  throw new Error(`the route constraint "${text}" is not served`);
}

function parseSegment(text: string): Segment {
  if (!/[{}]/.test(text)) {
    if (text === '' || /[?*~%]/.test(text))
      throw new Error('a route segment is empty or has a reserved character');
    return { kind: 'literal', text: text.toLowerCase() };
  }
  const match = /^\{(\*{0,2})([A-Za-z][A-Za-z0-9_]*)((?::[^{}?:/]+)*)(\??)\}$/.exec(text);
  if (match === null) throw new Error(`the route segment "${text}" is not served`);
  const [, stars = '', name = '', constraintText = '', question = ''] = match;
  const constraints = constraintText.split(':').slice(1).map(parseConstraint);
  return {
    kind: stars === '' ? 'parameter' : 'catchAll',
    name,
    optional: question !== '',
    constraintText: constraintText.toLowerCase(),
    accepts: (value) => constraints.every((constraint) => constraint(value)),
  };
}

/** Parses a template without its leading slash. @throws Error if it is invalid or unsupported */
export function parseRouteTemplate(template: string): RouteTemplate {
  const segments = template === '' ? [] : template.split('/').map(parseSegment);
  const parameters = segments.filter((segment) => segment.kind !== 'literal');
  const names = new Set(parameters.map((parameter) => parameter.name.toLowerCase()));
  if (names.size !== parameters.length) throw new Error('a route parameter occurs twice');
  const open = segments.findIndex(
    (segment) => segment.kind === 'catchAll' || (segment.kind === 'parameter' && segment.optional),
  );
  if (open >= 0 && open !== segments.length - 1) {
    throw new Error('only the last route segment may be optional or a catch-all');
  }
  const catchesAll = segments.at(-1)?.kind === 'catchAll';
  return {
    segments,
    minSegments: open >= 0 ? segments.length - 1 : segments.length,
    maxSegments: catchesAll ? Number.POSITIVE_INFINITY : segments.length,
  };
}

/** ASP.NET's inbound precedence of a segment. Lower is more specific. */
function rank(segment: Segment): number {
  if (segment.kind === 'literal') return 1;
  return (segment.kind === 'parameter' ? 3 : 5) - (segment.constraintText === '' ? 0 : 1);
}

/** Negative if `a` is more specific, 0 if ASP.NET treats them as equal. */
export function compareSpecificity(a: RouteTemplate, b: RouteTemplate): number {
  const shared = Math.min(a.segments.length, b.segments.length);
  for (let index = 0; index < shared; index += 1) {
    const [left, right] = [a.segments[index], b.segments[index]];
    if (left === undefined || right === undefined) break;
    if (rank(left) !== rank(right)) return rank(left) - rank(right);
  }
  return a.segments.length - b.segments.length;
}

/** The template without parameter names. Two functions with one shape are ambiguous. */
export function shapeOf(template: RouteTemplate): string {
  return template.segments
    .map((segment) =>
      segment.kind === 'literal'
        ? segment.text
        : `{${segment.kind === 'catchAll' ? '*' : ''}${segment.constraintText}${segment.optional ? '?' : ''}}`,
    )
    .join('/');
}

/** Whether some path can match both. Two parameters count as overlapping whatever their constraints. */
export function overlaps(a: RouteTemplate, b: RouteTemplate): boolean {
  const shared = Math.min(a.segments.length, b.segments.length);
  for (let index = 0; index < shared; index += 1) {
    const [left, right] = [a.segments[index], b.segments[index]];
    if (left === undefined || right === undefined) break;
    if (left.kind === 'catchAll' || right.kind === 'catchAll') break;
    if (left.kind === 'literal' && right.kind === 'literal' && left.text !== right.text) return false;
    if (left.kind === 'literal' && right.kind === 'parameter' && !right.accepts(left.text)) return false;
    if (left.kind === 'parameter' && right.kind === 'literal' && !left.accepts(right.text)) return false;
  }
  return a.minSegments <= b.maxSegments && b.minSegments <= a.maxSegments;
}

/**
 * Matches decoded path segments. A parameter needs a value. A catch-all takes the rest, which can be empty.
 * @returns the parameters by name without omitted ones, or undefined
 */
export function matchTemplate(
  template: RouteTemplate,
  path: readonly string[],
): Record<string, string> | undefined {
  if (path.length < template.minSegments || path.length > template.maxSegments) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of template.segments.entries()) {
    if (segment.kind === 'literal') {
      if (path[index]?.toLowerCase() !== segment.text) return undefined;
      continue;
    }
    const value = segment.kind === 'catchAll' ? path.slice(index).join('/') : (path[index] ?? '');
    const left = segment.kind === 'catchAll' || (segment.optional && index >= path.length);
    if (value === '') {
      if (!left) return undefined;
    } else {
      if (!segment.accepts(value)) return undefined;
      params[segment.name] = value;
    }
  }
  return params;
}
