/** The sensitivity labels of the fixture tenant, least sensitive first. */
export const LABEL_CATALOG = [
  { guid: '5c1e0a52-8c0d-4c7e-9d3a-0f5a3c6b1e01', name: 'Public', rank: 0 },
  { guid: '5c1e0a52-8c0d-4c7e-9d3a-0f5a3c6b1e02', name: 'General', rank: 1 },
  { guid: '5c1e0a52-8c0d-4c7e-9d3a-0f5a3c6b1e03', name: 'Confidential', rank: 2 },
  { guid: '5c1e0a52-8c0d-4c7e-9d3a-0f5a3c6b1e04', name: 'Highly Confidential', rank: 3 },
] as const;

export const labelByGuid = (guid: string) => LABEL_CATALOG.find((label) => label.guid === guid);
