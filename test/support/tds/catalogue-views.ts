/**
 * The catalogue views of SQL Server with their columns as the vendor documents them (System catalog views and dynamic
 * management views, Transact-SQL). A statement that names another column fails.
 */
const OBJECT =
  'name object_id principal_id schema_id parent_object_id type type_desc create_date modify_date is_ms_shipped is_published is_schema_published';

const COLUMN =
  'object_id name column_id system_type_id user_type_id max_length precision scale collation_name is_nullable is_ansi_padded is_rowguidcol is_identity is_computed is_filestream is_replicated is_non_sql_subscribed is_merge_published is_dts_replicated is_xml_document xml_collection_id default_object_id rule_object_id is_sparse is_column_set generated_always_type generated_always_type_desc encryption_type encryption_type_desc encryption_algorithm_name column_encryption_key_id column_encryption_key_database_name is_hidden is_masked graph_type graph_type_desc';

const VIEWS: Readonly<Record<string, string>> = {
  schemas: 'name schema_id principal_id',
  objects: OBJECT,
  columns: COLUMN,
  types:
    'name system_type_id user_type_id schema_id principal_id max_length precision scale collation_name is_nullable is_user_defined is_assembly_type default_object_id rule_object_id is_table_type',
  indexes:
    'object_id name index_id type type_desc is_unique data_space_id ignore_dup_key is_primary_key is_unique_constraint fill_factor is_padded is_disabled is_hypothetical allow_row_locks allow_page_locks has_filter filter_definition',
  index_columns:
    'object_id index_id index_column_id column_id key_ordinal partition_ordinal is_descending_key is_included_column',
  foreign_key_columns:
    'constraint_object_id constraint_column_id parent_object_id parent_column_id referenced_object_id referenced_column_id',
  extended_properties: 'class class_desc major_id minor_id name value',
  sql_modules:
    'object_id definition uses_ansi_nulls uses_quoted_identifier is_schema_bound uses_database_collation is_recompiled null_on_null_input execute_as_principal_id uses_native_compilation',
  partitions:
    'partition_id object_id index_id partition_number hobt_id rows filestream_filegroup_id data_compression data_compression_desc',
  allocation_units:
    'allocation_unit_id type type_desc container_id data_space_id total_pages used_pages data_pages',
  dm_db_index_usage_stats:
    'database_id object_id index_id user_seeks user_scans user_lookups user_updates last_user_seek last_user_scan last_user_lookup last_user_update',
  security_policies: `${OBJECT} is_enabled is_not_for_replication uses_database_collation is_schema_bound`,
  security_predicates:
    'object_id security_predicate_id target_object_id predicate_definition predicate_type predicate_type_desc operation operation_desc',
  database_principals:
    'name principal_id type type_desc default_schema_name create_date modify_date owning_principal_id sid is_fixed_role authentication_type authentication_type_desc default_language_name default_language_lcid allow_encrypted_value_modifications',
  database_role_members: 'role_principal_id member_principal_id',
  database_permissions:
    'class class_desc major_id minor_id grantee_principal_id grantor_principal_id type permission_name state state_desc',
  server_principals:
    'name principal_id sid type type_desc is_disabled create_date modify_date default_database_name default_language_name credential_id owning_principal_id is_fixed_role',
  sensitivity_classifications:
    'class class_desc major_id minor_id label label_id information_type information_type_id rank rank_desc',
  my_permissions_on_server: 'entity_name subentity_name permission_name',
  my_permissions_on_database: 'entity_name subentity_name permission_name',
};

/** T-SQL compares texts without the blanks at their end, which `char(2)` has. */
export const catalogueTables = (): string[] =>
  Object.entries(VIEWS).map(
    ([view, columns]) =>
      `CREATE TABLE sys.${view} (${columns
        .split(' ')
        .map((column) => `"${column}" COLLATE RTRIM`)
        .join(', ')})`,
  );
