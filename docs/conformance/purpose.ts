import type { Chapter } from './requirement.ts';

export const PURPOSE: Chapter = {
  title: 'What the service does',
  sections: [
    {
      title: 'Core behaviours',
      kind: 'rule',
      requirements: [
        {
          id: '1',
          says: 'Generated domains, information types and regulatory mappings are drafts until a person approves them.',
          proof: [
            'http/onboarding: drafts from the profile and the policies, honest about who drafted',
            'db/grants: the service approves no drafted %s without a person who does',
            'http/governance-scanned: takes no part in a scan, be it drafted by hand or generated',
          ],
        },
        {
          id: '2',
          says: 'A change notification is a hint: the delta feed of the source is read, never the body of the notification.',
          proof: [
            'http/webhooks: start one delta; what repeats within ten seconds is recorded as such',
            'http/graph-notifications: a day of lost, doubled, reordered and forged notifications misses no change',
          ],
        },
        {
          id: '3, changes',
          says: 'A change of permissions, label or name alone fetches and extracts no content.',
          proof: [
            'db/rescore: %s fetches and extracts nothing',
            'http/scans: after %s reads neither content nor features again',
          ],
        },
        {
          id: '3, releases',
          says: 'Scoring after a model release uses retained features and never calls the source.',
          proof: ['db/rescore: scores every asset from retained features and never touches the source'],
        },
        {
          id: '4',
          says: 'A confirmation re-ranks byte-identical copies and documents of the same template with reasons, and confirms none of them.',
          proof: [
            'http/review-rerank: with the reason, and confirms none of them',
            'http/rescore: has the copies scored again without a scan, with the reason, and confirms none',
          ],
        },
        {
          id: '5',
          says: 'A decision never destroys the inference of the model. It adds a linked assertion.',
          proof: [
            'http/decisions-keep-inferences: a decision or its revision changes nothing that was said before',
            'http/review-decisions: may be revised; every one stays, each answering the inference',
            'db/review-append-only: the runtime has no right to change or remove %s',
          ],
        },
        {
          id: '6, modes',
          says: 'Every integration reports an honest mode, and is never `live` without all that it needs.',
          proof: [
            'unit/integrations: are never live without flag, settings and secrets, nor better than what is built',
          ],
        },
        {
          id: '6, no fallback',
          says: 'What is not fully configured fails with an explicit error, and never falls back to a mock.',
          proof: [
            'http/scans: %s without configuration is blocked, and says what is missing',
            'unit/integrations/fixture-company: without the company, mock is a source that is not configured',
            'http/onboarding: without a chat deployment is refused by name, and never left to the mock',
          ],
        },
        {
          id: '7, deny',
          says: 'Authorization is by capability. What no role grants is denied.',
          proof: [
            'unit/authz/visibility: without a role, and with roles that lack it, every capability is denied',
            'contract/capabilities: the table is total over roles and capabilities',
          ],
        },
        {
          id: '7, probes',
          says: 'A probe of another tenant or domain gets the 404 of an id that does not exist.',
          proof: [
            'http/no-leak: a foreign id is answered as an unknown one: status, body, headers and statements',
            'http/no-leak: answers neither depend on other tenants nor hold a word of theirs',
          ],
        },
        {
          id: '8, actions',
          says: 'Who asks for an action cannot approve it.',
          proof: [
            'http/separation-of-duties: no requester of an action decides on it, whatever the roles and the order',
            'http/separation-of-duties: refuses it too',
          ],
        },
        {
          id: '8, releases',
          says: 'Who proposes a release cannot approve it.',
          proof: [
            'http/releases: the proposer cannot %s, and that is audited',
            'http/releases: is a constraint of the database too',
          ],
        },
        {
          id: '9',
          says: 'Logs, dead letters and metrics hold allowlisted fields alone: no names, paths, URLs, content, tokens or hashes.',
          proof: [
            'http/canary: nothing that a source or a caller wrote is found where only codes and ids belong',
            'unit/observability/log: never hold a text outside of the safe pattern, whatever is passed',
            'http/operations: holds no name, path, principal, content or digest of what was scanned',
          ],
        },
      ],
    },
    {
      title: 'Roles',
      kind: 'row',
      requirements: [
        {
          id: 'platform_admin',
          says: 'Operates the pipeline: scans, connectors, fleet, metrics, syncs. Has no review and no evidence.',
          proof: [
            'contract/capabilities: platform_admin has no evidence, excerpt or review capability',
            'contract/capabilities: scans and connectors are the platform administrator’s alone',
          ],
        },
        {
          id: 'governance_admin',
          says: 'Owns taxonomy, owners and releases. A release needs two people.',
          proof: [
            'contract/capabilities: taxonomy, owners and releases are the governance administrator’s alone',
            'http/releases: the proposer cannot %s, and that is audited',
          ],
        },
        {
          id: 'domain_owner',
          says: 'Reviews, reads redacted excerpts, asks the analyst and drafts actions, in owned domains only.',
          proof: [
            'contract/capabilities: what a domain owner holds is never tenant-wide',
            'contract/capabilities: excerpts are for domain owners alone, and so are reviews and attestations',
            'http/no-leak: what an owner is shown does not depend on what other domains hold',
          ],
        },
        {
          id: 'remediation_approver',
          says: 'Approves, rejects and cancels actions in the whole tenant and reads metadata of assets. Drafts nothing, reads no excerpt.',
          proof: [
            'contract/capabilities: the remediation approver approves, cancels and reads metadata, nothing else',
            'http/action-access: roles do what the table of capabilities says',
          ],
        },
        {
          id: 'auditor',
          says: 'Reads governance, operations, findings, actions and audit. Changes nothing. Excerpts are hidden from auditors too.',
          proof: [
            'contract/capabilities: the auditor reads and changes nothing',
            'contract/capabilities: the auditor reads governance, operations, findings, actions, audit, no excerpt',
            'http/assets: nobody else gets any, auditors included, and nothing is recorded',
          ],
        },
      ],
    },
    {
      title: 'Integrations and source families',
      kind: 'rule',
      requirements: [
        {
          id: 'The main connector',
          says: 'It runs as `mock` (a made-up tenant, the same for the same seed) or as `graph` (live, reads only).',
          proof: [
            'unit/connectors/fixture-content: is the same for the same seed, and another for another',
            'unit/integrations: rule 9: connector is mock in mock mode, else blocked until registered',
            'unit/connectors/m365/graph-client: labels are assigned by the remediation identity alone',
          ],
          unproved: {
            because: 'live',
            why: 'The live suite is a fake here. It is written from the vendor’s schema and held to it by test/unit/graph-fake.',
          },
        },
        {
          id: 'Further source families',
          says: 'Each is off without a flag of its own, and blocked without its configuration.',
          proof: [
            'unit/integrations: rule 3: %s is disabled when its flag is off, whatever else is configured',
            'http/scans: %s without configuration is blocked, and says what is missing',
          ],
        },
        {
          id: 'On-premises shares',
          says: 'They are connected and scanned.',
          proof: ['release/production: a share is connected, and the service scans it'],
        },
        {
          id: 'Blob and file storage',
          says: 'It is connected and scanned.',
          proof: [
            'http/blob-source: the blobs of a public container are open to anyone, and those beside it are not',
            'http/blob-source: a test of the source says what of it can be read',
          ],
          unproved: {
            because: 'live',
            why: 'The account is the vendor’s emulator, and a service of the tests for what it lacks.',
          },
        },
        {
          id: 'SQL databases',
          says: 'They are connected and scanned.',
          proof: [
            'http/sql-source: a scan finds the tables, and what is in those that were granted',
            'http/sql-source: readiness and the test of the source say that it is live, without its names',
          ],
        },
        {
          id: 'Chat and mail',
          says: 'They are synced.',
          proof: [
            'db/chat-sync: a day of posts, replies, edits, deletions and faults ends as people see it',
            'db/mail-sync: 24 hours of acts in two mailboxes: what is stored is what they have',
          ],
          unproved: { because: 'live', why: 'The live suite is a fake here.' },
        },
        {
          id: 'Cloud drive, file-box storage',
          says: 'They are connected and scanned.',
          proof: [
            'contract/cloud-drive-connector: a renamed folder is one change, and costs no call for what is in it',
            'http/scans: %s without configuration is blocked, and says what is missing',
          ],
          unproved: {
            because: 'live',
            why: 'Both clouds are fakes here, written from the vendors’ schemas. Box is read in test/contract/file-box-connector.',
          },
        },
        {
          id: 'A chat-channel file',
          says: 'It is the document of the main source. No second identity is created.',
          proof: [
            'db/chat-sync: the documents of attachments and the folder of files are those of the library',
            'http/messages: is the asset of the library, named to those who may see it',
          ],
        },
        {
          id: 'A mail attachment',
          says: 'It is a copy. A match with a document is recorded as similarity, never merged.',
          proof: [
            'http/messages: are shown beside it, named to those who may see them',
            'http/similar-assets: a file inside an asset that is also an asset is a copy on both sides, not merged',
          ],
        },
        {
          id: 'Message bodies',
          says: 'Of chat and mail, a bounded preview without identifiers and the signals of detectors are kept, and nothing else.',
          proof: [
            'http/messages-canary: a preview shows the opening, and no identifier of it',
            'http/messages-canary: what a message holds is found where it is kept, and nowhere else',
            'db/message-sync: stores masked previews and what was found, and says so with counts',
          ],
        },
        {
          id: 'Mailboxes',
          says: 'Mail reads only the mailboxes of `SVC_MAIL_MAILBOXES`, separated by commas.',
          proof: [
            'unit/connectors/mail/mail-source: is refused by each call of the source, and nothing leaves',
            'http/message-selection: is one of the setting, whatever else the application may read',
            'unit/config: that are lists are split at commas and trimmed',
          ],
        },
      ],
    },
    {
      title: 'Processes',
      kind: 'rule',
      requirements: [
        {
          id: 'API process',
          says: 'The API process works on the queue itself.',
          proof: ['release/production: a share is connected, and the service scans it'],
        },
        {
          id: 'Standalone worker',
          says: 'An optional worker runs the same code against the same queue.',
          proof: [
            'release/worker: a standalone worker does the inventory of a whole tenant, without a queue',
          ],
        },
        {
          id: 'MCP adapter, tools',
          says: 'Its tools read and propose: draft a remediation, start a scan that reads. None approves, executes, confirms or writes a label.',
          proof: [
            'http/adapter: lists tools that read and propose, and none that decides',
            'http/adapter: drafts, and what is drafted waits for people',
            'http/adapter-http: lets %s call nothing else: %s',
          ],
        },
        {
          id: 'MCP adapter, rights',
          says: 'It has the capabilities of one principal.',
          proof: [
            'http/adapter: refuses what the roles do not allow, clearly and audited',
            'http/adapter: a role that is lost counts at the next call',
          ],
        },
      ],
    },
    {
      title: 'Licensing',
      kind: 'rule',
      requirements: [
        {
          id: 'Gate',
          says: 'An entitlement gates starts of scans alone (402). Reading, audit, review and export are never blocked.',
          proof: [
            'http/license-states: only starts of scans ask for a license; everything else works in every state',
            'unit/licensing/license-state: scans start in states that allow them, with scanning, within all bounds, only',
          ],
        },
        {
          id: 'Signature',
          says: 'The entitlement is signed and verified locally.',
          proof: [
            'unit/licensing/entitlement: accepts what a shipped key signed, and reads its terms',
            'http/licensing: a row of the database that was changed entitles to nothing',
          ],
        },
        {
          id: 'No entitlement',
          says: 'A deployment without one is permissive.',
          proof: [
            'unit/licensing/license-state: without an entitlement scans start; without a usable one they do not',
          ],
        },
        {
          id: 'Billable user',
          says: 'Who has signed in within 90 days.',
          proof: ['http/licensing: people who signed in more than 90 days ago are not billable'],
        },
        {
          id: 'Grace window',
          says: 'Renewal has a window in which the license goes on while the vendor is not reached.',
          proof: [
            'unit/licensing/license-state: it is active before its end, then in its grace window, then expired',
            'http/licensing: the timer asks when it is due, once for all processes, and backs off',
          ],
        },
        {
          id: 'Telemetry, content',
          says: 'Allowlist alone: bands of licensing and health, `productVersion`, edition, a pseudonym of the deployment.',
          proof: [
            'unit/support/payload: nothing else can enter',
            'unit/support/payload: of any facts it is what the schema allows, and holds none of their numbers',
            'http/telemetry: names nobody and nothing of the customer',
          ],
        },
        {
          id: 'Telemetry, choice',
          says: 'The exact payload can be previewed, and the customer can opt out.',
          proof: [
            'http/telemetry: is, byte for byte, what the preview showed, and it is kept to be looked at',
            'http/telemetry: replaces the pseudonym, is audited once, and can be taken back',
          ],
        },
      ],
    },
  ],
};
