import { heading, paragraph, table } from '../business-document.ts';
import * as id from '../identifiers.ts';
import { person, product, recently } from '../people.ts';
import type { Template } from './template.ts';

const SERVICES = [
  'telemetry-gateway',
  'device-registry',
  'billing-export',
  'firmware-updates',
  'customer-portal',
] as const;

export const runbookWithSecrets: Template = (r) => ({
  title: `Runbook ${r.pick(SERVICES)}`,
  blocks: [
    paragraph(`On call: ${person(r).email}. Hosts: ${id.ipAddress(r)}, ${id.ipAddress(r)}.`),
    heading('Restart'),
    paragraph(
      `1. Log in to the bastion ${id.ipAddress(r)}.\n2. export AWS_ACCESS_KEY_ID=${id.cloudAccessKey(r)}\n3. export AWS_SECRET_ACCESS_KEY=${id.cloudSecretKey(r)}\n4. Restart the service and watch the error rate.`,
    ),
    heading('Database'),
    paragraph(`Maintenance user: maint\npassword = ${id.password(r)}`),
    paragraph('Rotate these credentials after every use and never paste them into a ticket.'),
  ],
});

export const deployKey: Template = (r) => ({
  title: `Deployment notes ${r.pick(SERVICES)}`,
  blocks: [
    paragraph(`The pipeline clones with the token ${id.repositoryToken(r)} and signs with this key:`),
    paragraph(id.privateKey(r)),
    paragraph(`Target network ${id.ipAddress(r)}/28. Ask ${person(r).email} for access.`),
  ],
});

export const operationsGuide: Template = (r) => ({
  title: `Operations guide ${r.pick(SERVICES)}`,
  blocks: [
    paragraph(
      `Dashboards, alerts and escalation. The service keeps ${r.int(2, 6)} replicas; restarts are safe at any time.`,
    ),
    paragraph('Credentials come from the vault at run time. Nothing secret is written in this guide.'),
  ],
});

export const architecture: Template = (r) => ({
  title: `Architecture of the ${product(r)} platform`,
  blocks: [
    heading('Context'),
    paragraph(
      `Devices publish readings every ${r.int(5, 60)} seconds over MQTT. The gateway validates the schema and writes to a time-series store.`,
    ),
    heading('Decisions'),
    paragraph(
      `We chose ${r.pick(['an append-only log', 'a relational store', 'edge aggregation'])} for durability. Firmware images are signed; the bootloader refuses downgrades.`,
    ),
    heading('Interfaces'),
    paragraph(
      'The public API is versioned. Source code, block diagrams and the calibration algorithm are proprietary.',
    ),
  ],
});

export const roadmap: Template = (r) => ({
  title: `Product roadmap ${r.int(2025, 2027)}`,
  blocks: [
    heading('Unreleased products'),
    paragraph(
      `The successor of the ${product(r)} enters prototype phase in quarter ${r.int(1, 4)}. Launch date and feature list are confidential.`,
    ),
    heading('Milestones'),
    paragraph(`Design freeze, pilot series, certification. Target unit cost EUR ${r.int(38, 190)}.`),
    heading('Competitors'),
    paragraph('Two competitors announced wireless variants; our patent filing protects the antenna design.'),
  ],
});

export const testResults: Template = (r) => ({
  title: `Test results ${product(r)}`,
  blocks: [
    table(
      ['Serial', 'Temperature C', 'Pressure kPa', 'Deviation', 'Result'],
      Array.from({ length: 24 }, () => [
        `SN${r.int(100000, 999999)}`,
        `${r.int(-20, 85)}`,
        `${r.int(90, 400)}`,
        `0.${r.int(10, 99)}`,
        r.pick(['pass', 'pass', 'fail']),
      ]),
    ),
  ],
});

export const designSpecification: Template = (r) => ({
  title: `Design specification ${product(r)}, revision ${r.pick(['A', 'B', 'C', 'D'])}`,
  blocks: [
    paragraph(
      `Requirements: measuring range 0 to ${r.int(10, 400)} bar, accuracy 0.${r.int(1, 5)} percent, housing IP6${r.int(5, 8)}, firmware update over the air.`,
    ),
    paragraph(
      `The membrane alloy and the welding parameters are trade secrets. Tolerance stack-up: ${r.int(3, 9)} micrometres. Bill of materials in annex.`,
    ),
    paragraph(
      `Verification plan: vibration, climate and electromagnetic compatibility tests by ${recently(r)}. Engineer in charge: ${person(r).name}.`,
    ),
  ],
});

export const securityIncident: Template = (r) => ({
  title: `Security incident report INC-${r.int(1000, 9999)}`,
  blocks: [
    heading('Summary'),
    paragraph(
      `On ${recently(r)} the monitoring raised an alert for unusual logins from ${id.ipAddress(r)}. The attacker used ${r.pick(['a phished password', 'an unpatched server', 'a leaked API key'])}.`,
    ),
    heading('Impact and containment'),
    paragraph(
      `Affected systems: ${r.pick(SERVICES)} at ${id.ipAddress(r)}. The account of ${person(r).email} was disabled, sessions were revoked, indicators of compromise were blocked at the firewall.`,
    ),
    heading('Root cause and lessons'),
    paragraph(
      'Multi-factor authentication was not enforced for service accounts. The forensic image is kept; the breach notification duty was assessed.',
    ),
  ],
});

export const vulnerabilityAssessment: Template = (r) => ({
  title: 'Vulnerability assessment and penetration test findings',
  blocks: [
    paragraph(
      'Findings by severity with host, exploitability and remediation deadline. Restricted to information security.',
    ),
    table(
      ['Host', 'Finding', 'Severity', 'Remediation'],
      Array.from({ length: 12 }, () => [
        id.ipAddress(r),
        r.pick(['Outdated TLS', 'Default password', 'SQL injection', 'Open share', 'Missing patch']),
        r.pick(['critical', 'high', 'medium']),
        recently(r),
      ]),
    ),
  ],
});

export const accessReview: Template = (r) => ({
  title: 'Privileged access review',
  blocks: [
    table(
      ['Account', 'System', 'Role', 'Last login', 'Source IP'],
      Array.from({ length: 14 }, () => [
        person(r).email,
        r.pick(SERVICES),
        r.pick(['admin', 'operator', 'read-only']),
        recently(r),
        id.ipAddress(r),
      ]),
    ),
  ],
});

export const releaseNotes: Template = (r) => ({
  title: `Release notes ${r.pick(SERVICES)} ${r.int(2, 9)}.${r.int(0, 20)}`,
  blocks: [
    paragraph(
      `New: export of readings as CSV, faster search, ${r.int(3, 18)} bug fixes. Published on our website for all users.`,
    ),
    paragraph('Deprecated: the old polling endpoint. See the public documentation for the migration guide.'),
  ],
});

export const outageMail: Template = (r) => ({
  title: `Outage of ${r.pick(SERVICES)} resolved`,
  blocks: [
    paragraph(
      `The deployment at ${r.int(1, 12)}:30 caused a restart loop. We rolled back; readings were buffered on the devices and none were lost.`,
    ),
    paragraph(`Post-mortem on ${recently(r)}. ${person(r).name}`),
  ],
});
