/** UTF-16 offsets [start, end). */
export type Span = { start: number; end: number };

/** Joins overlapping spans. Ascending and disjoint. */
export function merged(spans: readonly Span[]): readonly Span[] {
  if (spans.every(({ start }, i) => i === 0 || start >= (spans[i - 1]?.end ?? 0))) return spans;
  const kept: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || span.start >= last.end) kept.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return kept;
}

/** The first span that ends after `offset`. The spans must be ascending and disjoint. */
export function firstEndingAfter(spans: readonly Span[], offset: number): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return spans[low];
}

/** A span that overlaps `span`. The spans must be ascending and disjoint. */
export function overlapping(spans: readonly Span[], span: Span): Span | undefined {
  const found = firstEndingAfter(spans, span.start);
  return found !== undefined && found.start < span.end ? found : undefined;
}
