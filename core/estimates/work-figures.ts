import type { Basis, Certainty, Figure, MissingReason } from './estimate-schema.ts';
import type { Work } from './expected-work.ts';
import type { EndedScan } from './known.sql.ts';
import type { Sample } from './sample-scope.ts';

/** What the figures of a scan's work are derived from. */
export type Evidence = {
  /** Null if the source did not answer. */
  sample: Sample | null;
  /** Whether files of the source inherit permissions from their folders. */
  inherits: boolean;
  /** Assets of the scope since a scan last listed it whole; null before. */
  knownAssets: number | null;
  /** What the counter of the source says; null without one. */
  countedBytes: number | null;
  /** The last scans of the scope and of its family. */
  scans: readonly EndedScan[];
};

export type WorkFigures = Readonly<Record<'items' | 'reads' | 'bytes' | 'calls', Figure>>;

/** How far a figure may be off that is extrapolated from a part of a listing whose length is known, or only guessed. */
const FROM_KNOWN = 2;
const FROM_COUNTER = 3;
/** How far the number of items may have moved since the scope was last listed whole. */
const MOVED = 1.25;
/** If none of n things has a property, at most 3 of n do so elsewhere, in 95 of 100 cases. */
const UNSEEN = 3;

export const missing = (reason: MissingReason): Figure => ({
  low: null,
  high: null,
  basis: null,
  certainty: null,
  missing: reason,
});

const figure = (low: number, high: number, basis: Basis, certainty: Certainty): Figure => ({
  low: Math.max(0, Math.floor(low)),
  high: Math.ceil(high),
  basis,
  certainty,
  missing: null,
});

/** What a scan does, as ranges. */
export function workFigures(evidence: Evidence): WorkFigures {
  const { sample, knownAssets, countedBytes } = evidence;
  if (sample === null) return ofLastScan(evidence);
  if (sample.complete) return ofAll(sample, evidence);
  if (sample.way !== 'feed' && knownAssets !== null && knownAssets > sample.listed)
    return ofPart(sample, knownAssets / sample.listed, evidence);
  const mean = sample.listedBytes / Math.max(1, sample.listed);
  if (sample.way !== 'feed' && countedBytes !== null && mean > 0)
    return ofCounter(sample, Math.max(1, countedBytes / mean / sample.listed), countedBytes, evidence);
  return ofOpenEnd(sample, evidence);
}

/** Calls besides those for items: pages, and what an inventory reads of labels and folders. */
const overhead = ({ way, pages, folders }: Sample, { inherits }: Evidence): number =>
  pages + (way === 'listing' ? 1 + (inherits ? folders : 0) : 0);

/** All pages were read: only what happens until the scan is not known, and how often the source fails. */
function ofAll(sample: Sample, evidence: Evidence): WorkFigures {
  const { work, way } = sample;
  const counted = (value: number) => figure(value, value, 'sample', 'high');
  const calls = work.calls + overhead(sample, evidence);
  // A feed that reports no sharing is followed by a listing.
  const compared = way === 'feed' && evidence.inherits ? Math.ceil((evidence.knownAssets ?? 0) / 100) + 1 : 0;
  return {
    items: counted(work.items),
    reads: counted(work.reads),
    bytes: figure(
      work.bytes,
      work.bytes + work.refusedBytes,
      'sample',
      work.refusedBytes > 0 ? 'medium' : 'high',
    ),
    calls: figure(calls, calls + Math.max(2, calls / 10) + compared, 'sample', 'high'),
  };
}

/** A part was read of a listing whose length the last walk says. */
function ofPart(sample: Sample, scale: number, evidence: Evidence): WorkFigures {
  const { work } = sample;
  const typical = Math.max(1, sample.listedBytes / sample.listed);
  const scaled = (value: number, unit: number, most = value) => {
    const high = Math.max(most * scale * FROM_KNOWN, UNSEEN * unit * scale);
    return figure(Math.max(value, (value * scale) / FROM_KNOWN), high, 'sample', 'low');
  };
  const items =
    sample.way === 'listing' && sample.leftOut === 0
      ? figure(
          Math.max(work.items, (work.items * scale) / MOVED),
          work.items * scale * MOVED,
          'last_walk',
          'medium',
        )
      : scaled(work.items, 1);
  return {
    items,
    reads: scaled(work.reads, 1),
    bytes: scaled(work.bytes, typical, work.bytes + work.refusedBytes),
    calls: scaled(work.calls + overhead(sample, evidence), 4),
  };
}

/** A part was read of a listing whose bytes the source counts, with what it does not list. */
function ofCounter(sample: Sample, scale: number, countedBytes: number, evidence: Evidence): WorkFigures {
  const { work } = sample;
  const scaled = (value: number, { upTo = value, most = Number.POSITIVE_INFINITY } = {}) =>
    figure(value, Math.max(value, Math.min(most, upTo * scale * FROM_COUNTER)), 'counter', 'low');
  return {
    items: scaled(work.items),
    reads: scaled(work.reads),
    bytes: scaled(work.bytes, { upTo: work.bytes + work.refusedBytes, most: countedBytes }),
    calls: scaled(work.calls + overhead(sample, evidence)),
  };
}

/** A part was read, and nothing says how much follows. */
function ofOpenEnd(sample: Sample, evidence: Evidence): WorkFigures {
  const atLeast = (value: number): Figure => ({
    low: value,
    high: null,
    basis: 'sample',
    certainty: 'low',
    missing: 'listing_goes_on',
  });
  const { items, reads, bytes, calls }: Work = sample.work;
  return {
    items: atLeast(items),
    reads: atLeast(reads),
    bytes: atLeast(bytes),
    calls: atLeast(calls + overhead(sample, evidence)),
  };
}

/** The source did not answer: what the last scan of the scope and kind took. */
function ofLastScan({ scans }: Evidence): WorkFigures {
  const last = scans.find(({ isOfScope, isOfKind }) => isOfScope && isOfKind);
  if (last === undefined) {
    const none = missing('source_failed');
    return { items: none, reads: none, bytes: none, calls: none };
  }
  const around = (value: number) => figure(value / FROM_KNOWN, value * FROM_KNOWN, 'last_walk', 'low');
  return {
    items: around(last.items),
    reads: around(last.items),
    bytes: around(last.bytesRead),
    calls: around(last.calls),
  };
}
