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

export const CONTENT_NAMES: Readonly<Record<string, string>> = {
  not_fetched: 'not read yet',
  available: 'read',
  partial: 'read in part',
  unsupported: 'no reader for it',
  failed: 'could not be read',
  inaccessible: 'access was denied',
};

export const LIKENESS_NAMES: Readonly<Record<string, string>> = {
  identical_bytes: 'the same bytes',
  attachment_copy: 'a copy in a mail',
  near_duplicate: 'nearly the same text',
  same_template: 'the same template',
  semantic_neighbor: 'near in meaning',
};
