import type { ContentReason, ContentState } from '../../client/generated/service.schemas.ts';

/** What an asset is, for sentences about one. */
export const nounOf = ({ kind }: { kind: string }): string => (kind === 'table' ? 'table' : 'file');

/** Words for values of the API that have no name of their own. */
export const EXPOSURE_NAMES: Readonly<Record<string, string>> = {
  anyone: 'Anyone with a link',
  external: 'People outside',
  organization: 'The whole organisation',
  broad_group: 'A very large group',
  named: 'Named people alone',
};

export const LABEL_NAMES: Readonly<Record<string, string>> = {
  labeled: 'Has a label',
  unlabeled: 'None',
  unknown: 'Not readable here',
};

export const CONTENT_NAMES: Readonly<Record<ContentState, string>> = {
  not_fetched: 'not read yet',
  available: 'read',
  partial: 'read in part',
  unsupported: 'no reader for it',
  failed: 'could not be read',
  inaccessible: 'access was denied',
};

/** Why content was not read, or not wholly. */
const CONTENT_REASON_NAMES: Readonly<Record<ContentReason, string>> = {
  ocr_off: 'words in pictures are not read',
  unknown_format: 'unknown format',
  unknown_encoding: 'its letters may be read as others',
  encrypted: 'encrypted',
  package: 'several parts without one content',
  malware: 'the source found it harmful',
  archived: 'in an archive tier of the source',
  no_download: 'the source does not let the service download it',
  size_bound: 'too large',
  time_bound: 'it took too long',
  memory_bound: 'it needs too much memory',
  output_bound: 'its text is too long',
  member_bound: 'it has too many parts',
  partly_visible: 'the source hides rows or columns',
  sampled: 'a sample of its rows',
  damaged: 'damaged',
  corrupt: 'damaged',
};

/** Whether content was read, and why not. */
export const contentInWords = ({
  contentState,
  contentReason,
}: {
  contentState: ContentState;
  contentReason: ContentReason | null;
}): string =>
  contentReason === null
    ? CONTENT_NAMES[contentState]
    : `${CONTENT_NAMES[contentState]}: ${CONTENT_REASON_NAMES[contentReason]}`;

export const LIKENESS_NAMES: Readonly<Record<string, string>> = {
  identical_bytes: 'the same bytes',
  attachment_copy: 'a copy in a mail',
  near_duplicate: 'nearly the same text',
  same_template: 'the same template',
  semantic_neighbor: 'near in meaning',
};
