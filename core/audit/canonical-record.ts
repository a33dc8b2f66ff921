import canonicalize from 'canonicalize';

/** The part of a record that the chain checks. In records that others wrote, the members can have any type. */
export type RecordLinks = { prev: unknown; seq: unknown; tenantId: unknown };

/** A string without escapes or surrogates, which is the same in every canonical form. */
const STRING = String.raw`"[^"\\\u0000-\u001f\ud800-\udfff]*"`;
/** Integers that are exact. The canonicalizer handles all other numbers. */
const INTEGER = '(?:0|-?[1-9][0-9]{0,14})';
const DETAIL = `"[A-Za-z][A-Za-z0-9_]*":(?:${STRING}|${INTEGER}|true|false|null)`;
const USUAL_RECORD = new RegExp(
  [
    String.raw`^\{"chain":\{"prev":"([0-9a-f]{64})","seq":([1-9][0-9]{0,14})\},"event":\{`,
    `"at":${STRING},"category":${STRING},"correlationId":${STRING},`,
    String.raw`"details":\{((?:${DETAIL}(?:,${DETAIL})*)?)\},`,
    `"policyDecision":(?:null|${STRING}),"principalId":(?:null|${STRING}),`,
    String.raw`"target":(?:null|\{"id":${STRING},"kind":${STRING}\}),`,
    String.raw`"tenantId":"([A-Za-z0-9_-]{1,64})","type":${STRING}\}\}$`,
  ].join(''),
);
const DETAIL_NAME = /"[A-Za-z][A-Za-z0-9_]*":/g;

/**
 * The links of a record in canonical form (RFC 8785), or null if it is not canonical. A regular expression recognizes
 * records that this service writes, which is several times faster than parsing and serializing them. The
 * canonicalizer checks all others.
 */
export function linksOf(text: string): RecordLinks | null {
  const match = USUAL_RECORD.exec(text);
  if (match === null || !namesAscend(match[3] ?? '')) return parsedLinksOf(text);
  return { prev: match[1], seq: Number(match[2]), tenantId: match[4] };
}

function namesAscend(details: string): boolean {
  let before = '';
  for (const name of details.match(DETAIL_NAME) ?? []) {
    if (name <= before) return false;
    before = name;
  }
  return true;
}

function parsedLinksOf(text: string): RecordLinks | null {
  const record = canonicalJson(text) as {
    chain?: { prev?: unknown; seq?: unknown } | null;
    event?: { tenantId?: unknown } | null;
  } | null;
  if (record?.chain == null || record.event == null) return null;
  return { prev: record.chain.prev, seq: record.chain.seq, tenantId: record.event.tenantId };
}

/** Null if the text is not JSON, or not the canonical text of it. */
function canonicalJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return canonicalize(value) === text ? value : null;
  } catch {
    return null;
  }
}
