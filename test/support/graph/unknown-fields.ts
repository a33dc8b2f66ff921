/**
 * Fields that recorded answers carry and the metadata lacks. They are added after an answer was held against the
 * schemas, so that a reader meets them and the fake invents nothing.
 */
const ADDED: Readonly<Record<string, Record<string, unknown>>> = {
  file: { irmEnabled: false, irmEffectivelyEnabled: false },
  folder: { folderType: 'document' },
  shared: { effectiveRoles: ['read'] },
  siteUser: { email: 'somebody@fixture.example', objectId: null },
  link: { preventsDownloadOverride: null },
  parentReference: { sharePointLibraryType: 'documents' },
  siteCollection: { region: 'EUR' },
};
const RENAMED: Readonly<Record<string, string>> = { innerError: 'innererror' };

export function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const more = ADDED[name];
      const converted = withUnknownFields(inner);
      const isObject = typeof converted === 'object' && converted !== null && !Array.isArray(converted);
      return [RENAMED[name] ?? name, more !== undefined && isObject ? { ...converted, ...more } : converted];
    }),
  );
}
