/** A Wednesday. */
export const NOW = Date.parse('2026-03-18T10:00:00Z');

/** The names that the asker of the tables may see. */
export const WORLD = {
  domains: [
    { id: 'dom_fin', name: 'Finance' },
    { id: 'dom_hr', name: 'Human Resources' },
    { id: 'dom_leg', name: 'Legal' },
  ],
  types: [
    { id: 'ift_pay', name: 'Payroll and compensation' },
    { id: 'ift_emp', name: 'Employment contracts' },
    { id: 'ift_inv', name: 'Invoices and receivables' },
    { id: 'ift_nda', name: 'Non-disclosure agreements' },
  ],
  labels: [
    { id: 'lab_public', name: 'Public' },
    { id: 'lab_general', name: 'General' },
    { id: 'lab_confidential', name: 'Confidential' },
    { id: 'lab_highly', name: 'Highly Confidential' },
  ],
  scopes: [
    { id: 'scp_fin', name: 'Finance Site' },
    { id: 'scp_people', name: 'People Library' },
    { id: 'scp_archive', name: 'Contracts Archive' },
  ],
  people: [
    { id: 'pri_amara', name: 'Amara Okafor' },
    { id: 'pri_lena', name: 'Lena Vogel' },
  ],
  identifiers: [
    { id: 'iban', name: 'International bank account number' },
    { id: 'credit_card', name: 'Payment card number' },
    { id: 'email_address', name: 'E-mail address' },
    { id: 'phone_number', name: 'Telephone number' },
    { id: 'person_name', name: 'Name of a person' },
  ],
} as const;
