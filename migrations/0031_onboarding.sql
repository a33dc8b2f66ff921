-- What an organization says of itself, its policies, and a taxonomy that is drafted, changed and approved in the service.

create table organization_profiles (
  tenant_id text primary key references tenants,
  profile_id text not null,
  name text not null,
  industries text[] not null,
  geographies text[] not null,
  description text not null,
  updated_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (tenant_id, updated_by) references principals
);

-- A document is known by its title; what is uploaded under it again is its next version. No version is ever changed, so
-- that a citation goes on saying what it said.
create table policy_documents (
  tenant_id text not null references tenants,
  document_id text not null,
  title text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, document_id)
);
create unique index policy_documents_title on policy_documents (tenant_id, lower(title));

create table policy_document_versions (
  tenant_id text not null,
  document_id text not null,
  version integer not null,
  filename text not null,
  content text not null,
  -- As they were parsed at the upload: [{ "anchor", "heading", "level", "start", "end" }], in characters (UTF-16).
  sections jsonb not null,
  uploaded_by text not null,
  created_at timestamptz not null,
  primary key (tenant_id, document_id, version),
  foreign key (tenant_id, document_id) references policy_documents,
  foreign key (tenant_id, uploaded_by) references principals
);

-- Who or what drafted it: the provisioning of the tenant (all that was there before), a provider, or a person. What the
-- service has approved was approved by somebody, whatever the code says.
alter table domains
  add column origin text not null default 'provisioned'
    constraint domains_origin check (origin in ('provisioned', 'generated', 'manual')),
  add column provider text,
  add column model text,
  add column created_by text,
  add column approved_by text,
  add column approved_at timestamptz,
  add column revision integer not null default 1,
  add constraint domains_generated_by check ((origin = 'generated') = (provider is not null and model is not null)),
  add constraint domains_approved_by check (
    (approved_by is null) = (approved_at is null) and
    case when status = 'approved' then approved_by is not null or origin = 'provisioned' else approved_by is null end),
  add foreign key (tenant_id, created_by) references principals,
  add foreign key (tenant_id, approved_by) references principals;

alter table information_types
  add column origin text not null default 'provisioned'
    constraint information_types_origin check (origin in ('provisioned', 'generated', 'manual')),
  add column provider text,
  add column model text,
  add column created_by text,
  add column approved_by text,
  add column approved_at timestamptz,
  add column revision integer not null default 1,
  add constraint information_types_generated_by
    check ((origin = 'generated') = (provider is not null and model is not null)),
  add constraint information_types_approved_by check (
    (approved_by is null) = (approved_at is null) and
    case when status = 'approved' then approved_by is not null or origin = 'provisioned' else approved_by is null end),
  add foreign key (tenant_id, created_by) references principals,
  add foreign key (tenant_id, approved_by) references principals;

-- Regulations that are mapped as relevant to a domain; never a legal determination.
create table regulatory_mappings (
  tenant_id text not null,
  mapping_id text not null,
  domain_id text not null,
  jurisdiction text not null,
  regulation text not null,
  rationale text not null,
  -- A section of a version of a policy document, with its heading as it was.
  cited_document_id text,
  cited_version integer,
  cited_anchor text,
  cited_heading text,
  status text not null default 'draft'
    constraint regulatory_mappings_status check (status in ('draft', 'approved', 'rejected')),
  origin text not null constraint regulatory_mappings_origin check (origin in ('generated', 'manual')),
  provider text,
  model text,
  created_by text not null,
  decided_by text,
  decided_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, mapping_id),
  constraint regulatory_mappings_generated_by
    check ((origin = 'generated') = (provider is not null and model is not null)),
  constraint regulatory_mappings_decided_by
    check ((status = 'draft') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint regulatory_mappings_citation_whole
    check (num_nulls(cited_document_id, cited_version, cited_anchor, cited_heading) in (0, 4)),
  foreign key (tenant_id, domain_id) references domains,
  foreign key (tenant_id, cited_document_id, cited_version) references policy_document_versions,
  foreign key (tenant_id, created_by) references principals,
  foreign key (tenant_id, decided_by) references principals
);
-- One that was rejected may be drafted anew.
create unique index regulatory_mappings_once
  on regulatory_mappings (tenant_id, domain_id, lower(jurisdiction), lower(regulation)) where status <> 'rejected';
create index regulatory_mappings_list
  on regulatory_mappings (tenant_id, lower(jurisdiction), lower(regulation), mapping_id);

call protect_tenant_table('organization_profiles');
call protect_tenant_table('policy_documents');
call protect_tenant_table('policy_document_versions');
call protect_tenant_table('regulatory_mappings');

call open_to_provisioning('organization_profiles');
grant select, insert, update (name, industries, geographies, description, updated_by, updated_at)
  on organization_profiles to svc_app;
grant select, insert, update (title, version, updated_at) on policy_documents to svc_app;
grant select, insert on policy_document_versions to svc_app;
grant select, insert, update (status, decided_by, decided_at, revision, updated_at) on regulatory_mappings to svc_app;

grant insert, update (name, description, inclusion, exclusion, status, approved_by, approved_at, revision, updated_at)
  on domains to svc_app;
grant insert,
  update (name, definition, sensitivity_rationale, expected_location_note, sensitivity, indicators, status, approved_by,
          approved_at, revision, updated_at)
  on information_types to svc_app;
grant update (data_handling_profile, config_version) on tenants to svc_app;
