import {
  compareSpecificity,
  matchTemplate,
  overlaps,
  parseRouteTemplate,
  type RouteTemplate,
  shapeOf,
} from './route-template.ts';

/** `methods` in upper case. `template` without a leading slash, with the route prefix. */
export type RouteDeclaration<Target> = {
  readonly name: string;
  readonly methods: readonly string[];
  readonly template: string;
  readonly target: Target;
};

type Route<Target> = RouteDeclaration<Target> & { readonly parsed: RouteTemplate };

type RouteMatch<Target> =
  | { readonly kind: 'found'; readonly target: Target; readonly params: Record<string, string> }
  | { readonly kind: 'wrongMethod'; readonly allow: readonly string[] }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'malformed' };

export type Router<Target> = { match(method: string, path: string): RouteMatch<Target> };

const byName = (a: { name: string }, b: { name: string }) => {
  const [left, right] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return left < right ? -1 : left > right ? 1 : 0;
};

function parse<Target>(declaration: RouteDeclaration<Target>): Route<Target> {
  try {
    return { ...declaration, parsed: parseRouteTemplate(declaration.template) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new Error(`Function "${declaration.name}": ${reason}.`);
  }
}

/**
 * The Functions host tries routes in alphabetical order of function names, not by precedence, and uses the first
 * match. If the two rules choose differently, the app works here and fails there, so every such pair is reported.
 * @returns a sentence for each pair
 */
function findDisagreements<Target>(routes: readonly Route<Target>[]): string[] {
  const problems: string[] = [];
  for (const [index, first] of routes.entries()) {
    for (const second of routes.slice(index + 1)) {
      if (!first.methods.some((method) => second.methods.includes(method))) continue;
      if (!overlaps(first.parsed, second.parsed)) continue;
      if (shapeOf(first.parsed) === shapeOf(second.parsed)) {
        problems.push(`"${first.name}" and "${second.name}" have the same route and method`);
      } else if (compareSpecificity(second.parsed, first.parsed) < 0) {
        problems.push(
          `"${first.name}" (${first.template}) hides "${second.name}" (${second.template}), since its name sorts first`,
        );
      }
    }
  }
  return problems;
}

/** Dot segments are resolved before routing, so that other layers cannot read the route differently. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * The percent-decoded path segments without an empty last one. An encoded slash stays encoded, as in ASP.NET, so a
 * value cannot add segments.
 * @returns undefined if the path cannot be decoded
 */
function splitPath(path: string): string[] | undefined {
  const resolved = DOT_SEGMENT.test(path)
    ? new URL(path.replace(/^\/+/, '/'), 'http://localhost').pathname
    : path;
  const raw = resolved.slice(1, resolved.length > 1 && resolved.endsWith('/') ? -1 : undefined);
  if (raw === '') return [];
  const segments = raw.split('/');
  if (!raw.includes('%')) return segments;
  try {
    const decoded = segments.map((segment) =>
      segment
        .split(/(%2f)/i)
        .map((part, index) => (index % 2 === 1 ? part : decodeURIComponent(part)))
        .join(''),
    );
    return decoded.some((segment) => segment.includes('\0')) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** @throws Error for unsupported templates, and for routes that the Functions host would serve differently */
export function createRouter<Target>(declarations: readonly RouteDeclaration<Target>[]): Router<Target> {
  const inHostOrder = declarations.map(parse).sort(byName);
  const problems = findDisagreements(inHostOrder);
  if (problems.length > 0) {
    throw new Error(
      `Routes that the Functions host would serve differently: ${problems.join('; ')}. Rename them.`,
    );
  }
  const routes = inHostOrder.sort((a, b) => compareSpecificity(a.parsed, b.parsed));
  const literals = new Map<string, Route<Target>[]>();
  const patterns: Route<Target>[] = [];
  for (const route of routes) {
    if (route.parsed.segments.some((segment) => segment.kind !== 'literal')) patterns.push(route);
    else literals.set(shapeOf(route.parsed), [...(literals.get(shapeOf(route.parsed)) ?? []), route]);
  }
  const longest = Math.max(0, ...patterns.map((route) => route.parsed.segments.length));
  const patternsByLength = Array.from({ length: longest + 2 }, (_, length) =>
    patterns.filter(({ parsed }) => parsed.minSegments <= length && length <= parsed.maxSegments),
  );

  return {
    match(method, path) {
      const segments = splitPath(path);
      if (segments === undefined) return { kind: 'malformed' };
      const allow = new Set<string>();
      for (const route of literals.get(segments.join('/').toLowerCase()) ?? []) {
        if (route.methods.includes(method)) return { kind: 'found', target: route.target, params: {} };
        for (const allowed of route.methods) allow.add(allowed);
      }
      // All lengths above the longest template share one bucket, which contains only catch-alls.
      for (const route of patternsByLength[Math.min(segments.length, longest + 1)] ?? []) {
        const params = matchTemplate(route.parsed, segments);
        if (params === undefined) continue;
        if (route.methods.includes(method)) return { kind: 'found', target: route.target, params };
        for (const allowed of route.methods) allow.add(allowed);
      }
      return allow.size > 0 ? { kind: 'wrongMethod', allow: [...allow].sort() } : { kind: 'notFound' };
    },
  };
}
