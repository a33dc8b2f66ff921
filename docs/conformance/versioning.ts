import type { Chapter } from './requirement.ts';

export const VERSIONING: Chapter = {
  title: 'Versioning',
  sections: [
    {
      title: 'Versioning',
      kind: 'rule',
      requirements: [
        {
          id: '1',
          says: '`year.month.day.x`, two digits of the year, no leading zeros.',
          proof: [
            'unit/controlplane/product-version: VERSION and the product-version constant are one release version',
          ],
        },
        {
          id: '2, places',
          says: 'A constant of the control plane and the file `VERSION`.',
          proof: [
            'unit/controlplane/product-version: VERSION and the product-version constant are one release version',
          ],
        },
        {
          id: '2, telemetry',
          says: 'Reported as `productVersion`, which can be previewed.',
          proof: [
            'http/telemetry: names nobody and nothing of the customer',
            'http/telemetry: is, byte for byte, what the preview showed, and it is kept to be looked at',
          ],
        },
        {
          id: '3',
          says: 'The version of the package is not the release.',
          proof: [
            'unit/controlplane/product-version: the version of the package is internal, and is no release',
          ],
        },
        {
          id: '4, terms',
          says: '`entitlementVersion` is 2.',
          proof: [
            'unit/licensing/entitlement: accepts what a shipped key signed, and reads its terms',
            'unit/licensing/entitlement: terms with %s',
          ],
        },
        {
          id: '4, keys',
          says: 'A key id that rotates.',
          proof: [
            'unit/licensing/entitlement: keys rotate: each accepts its own tokens while a release ships both',
          ],
        },
        {
          id: '4, signature',
          says: 'Asymmetric in production, where the deployment has the public key alone. HMAC in development, by the header.',
          proof: [
            'unit/licensing/entitlement: refuses the HMAC of development',
            'unit/licensing/entitlement: accepts both kinds of keys, each for its own algorithm',
            'unit/licensing/entitlement: production trusts the keys that a release ships, and no other',
          ],
        },
        {
          id: '5, order',
          says: 'Numbered files, in order, each in its transaction and recorded. A failing one undoes itself alone.',
          proof: [
            'db/migrate: are applied in order, once, and recorded',
            'db/migrate: that fail undo themselves alone, and name themselves and the line',
          ],
        },
        {
          id: '5, when',
          says: 'Applied at boot and by a command, once.',
          proof: [
            'db/migrate: are applied once by several processes that start together',
            'db/late-database: a host that may migrate makes the schema when it starts',
            'release/production: commands make schema and tenant, and print a link for the first administrator',
          ],
        },
        {
          id: '5, record',
          says: 'The record is never edited by hand.',
          proof: [
            'db/migrate: that were edited after they had been applied are refused before anything is done',
          ],
          unproved: {
            because: 'beyond',
            why: 'It is a rule for operators. What is tested is that an edited file is refused.',
          },
        },
        {
          id: '6, upgrades',
          says: 'They are additive.',
          proof: [
            `release/upgrade: an installation of \${before.version} is upgraded while it serves and works`,
            'release/upgrade: the database of release $version is upgraded to the present schema',
            'release/released-client: a client of the release before does the main journey on this service',
          ],
        },
        {
          id: '6, settings',
          says: 'New settings are optional. Without any, nothing changes.',
          proof: [
            'unit/config: are safe when nothing is configured',
            'unit/licensing/license-state: without an entitlement scans start; without a usable one they do not',
          ],
        },
        {
          id: '7',
          says: 'Sign-in with an identity provider works, and each source is in the readiness report.',
          proof: [
            'http/sign-in: starts a session and ends where it began from',
            'unit/integrations: are reported under the names of the specification, and one of S3',
          ],
        },
      ],
    },
  ],
};
