-- What assets are compared by: sketches of their text, files inside them, vectors. Rows of deleted assets stay and are
-- ignored, since an asset that comes back unchanged is not read again.

create table asset_sketches (
  tenant_id text not null,
  asset_id text not null,
  -- One byte per bin of a one-permutation MinHash; null where there is too little text.
  shingles bytea,
  template bytea,
  -- Keys of the bands of both, so that what is in sketch_bands of an asset is found by its array.
  bands integer[] not null,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
);

-- Which assets share a band. Written together with the arrays above and by nothing else.
create table sketch_bands (
  tenant_id text not null,
  band integer not null,
  asset_id text not null,
  -- An owner has said of the asset what it is. However many assets of a template there are, these are found at once.
  decided boolean not null,
  primary key (tenant_id, band, asset_id)
);
create index sketch_bands_decided on sketch_bands (tenant_id, band, asset_id) where decided;

-- Likewise of byte-identical copies: some bytes are in a hundred thousand places.
alter table assets add column decided boolean not null default false;
create index assets_decided_copies on assets (tenant_id, content_hash)
  where decided and content_hash is not null and status = 'active';
-- What was decided before. The owner of the tables is bound by their policies, and has none.
alter table assets no force row level security;
alter table candidates no force row level security;
update assets a set decided = true
 where exists (select 1 from candidates k
                where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and k.status in ('confirmed', 'rejected'));
alter table assets force row level security;
alter table candidates force row level security;

-- SHA-256 of the files inside an asset: attachments and embedded files.
create table asset_contents (
  tenant_id text not null,
  asset_id text not null,
  content_hash bytea not null constraint asset_contents_hash_length check (octet_length(content_hash) = 32),
  primary key (tenant_id, asset_id, content_hash),
  foreign key (tenant_id, asset_id) references assets
);
create index asset_contents_hash on asset_contents (tenant_id, content_hash, asset_id);

create table asset_vectors (
  tenant_id text not null,
  asset_id text not null,
  -- A number that stands for provider and model: vectors compare within it only.
  space integer not null,
  -- One signed byte per dimension.
  vector bytea not null,
  -- Signs of the vector after a fixed rotation: their difference tells the angle, roughly.
  bits bit(512) not null,
  -- The coarse cell that it lies in; 0 until it is sorted into one.
  cell integer not null default 0,
  primary key (tenant_id, asset_id),
  foreign key (tenant_id, asset_id) references assets
);
-- All that the coarse search reads.
create index asset_vectors_cells on asset_vectors (tenant_id, space, cell, asset_id) include (bits);

-- What waits to be sorted.
create index asset_vectors_unsorted on asset_vectors (tenant_id, space) where cell = 0;

-- A set of coarse cells, trained on a sample; never changed but for its counter. Cells are numbered across generations.
create table vector_generations (
  tenant_id text not null,
  space integer not null,
  first_cell integer not null constraint vector_generations_first check (first_cell > 0),
  cell_count integer not null,
  dimensions integer not null,
  -- One signed byte per dimension, cell after cell.
  centroids bytea not null,
  -- Vectors that there were when it was trained, and those that were sorted into it.
  trained_on bigint not null,
  sorted bigint not null default 0,
  created_at timestamptz not null,
  primary key (tenant_id, space, first_cell)
);

call protect_tenant_table('asset_sketches');
call protect_tenant_table('sketch_bands');
call protect_tenant_table('asset_contents');
call protect_tenant_table('asset_vectors');
call protect_tenant_table('vector_generations');

grant select, insert, update on asset_sketches, asset_vectors to svc_app;
grant select, insert, delete on sketch_bands, asset_contents to svc_app;
grant update (decided) on sketch_bands to svc_app;
grant select, insert, update (sorted), delete on vector_generations to svc_app;
-- An asset whose text is gone leaves no vector behind.
grant delete on asset_vectors to svc_app;
