"""Shapes of the system relations: pg_catalog, information_schema, mz_catalog, mz_internal.

`SYSTEM_RELATIONS` maps `schema.name` to a Schema.  The coordinator fills the rows, except for those in
`ALWAYS_EMPTY`: nothing of their kind can exist here, and plans read them as constants.
Stored views name a system relation by its place here: new ones go to the end.
Columns are PostgreSQL 16's as far as psql, dbt and drivers read them.
"""

from __future__ import annotations

from ...repr.schema import Column, Schema
from ...repr.types import (
    BOOL,
    CHAR,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    NAME,
    NUMERIC,
    OID,
    REGPROC,
    TEXT,
    TIMESTAMPTZ,
    UINT8,
    ScalarType,
    array_of,
    vector_of,
)

_TYPES: dict[str, ScalarType] = {
    "b": BOOL,
    "c": CHAR,
    "f": FLOAT4,
    "d": FLOAT8,
    "s": INT2,
    "i": INT4,
    "j": JSONB,
    "l": INT8,
    "n": NAME,
    "o": OID,
    "p": REGPROC,
    "t": TEXT,
    "u": UINT8,
    "z": TIMESTAMPTZ,
    "N": NUMERIC,
    "v": INTERVAL,
    "S": array_of(INT2),
    "I": array_of(INT4),
    "O": array_of(OID),
    "T": array_of(TEXT),
    "C": array_of(CHAR),
    "V": vector_of(INT2),
    "W": vector_of(OID),
}

_FILLED = {
    "pg_catalog.pg_class": "oid:o relname:n relnamespace:o reltype:o reloftype:o relowner:o relam:o relfilenode:o "
    "reltablespace:o relpages:i reltuples:f relallvisible:i reltoastrelid:o relhasindex:b relisshared:b "
    "relpersistence:c relkind:c relnatts:s relchecks:s relhasrules:b relhastriggers:b relhassubclass:b "
    "relrowsecurity:b relforcerowsecurity:b relispopulated:b relreplident:c relispartition:b relrewrite:o "
    "relfrozenxid:o relminmxid:o relacl:T reloptions:T relpartbound:t",
    "pg_catalog.pg_namespace": "oid:o nspname:n nspowner:o nspacl:T",
    "pg_catalog.pg_attribute": "attrelid:o attname:n atttypid:o attlen:s attnum:s attcacheoff:i atttypmod:i attndims:s "
    "attbyval:b attalign:c attstorage:c attcompression:c attnotnull:b atthasdef:b atthasmissing:b "
    "attidentity:c attgenerated:c attisdropped:b attislocal:b attinhcount:s attcollation:o attstattarget:s "
    "attacl:T attoptions:T attfdwoptions:T",
    "pg_catalog.pg_attrdef": "oid:o adrelid:o adnum:s adbin:t",
    "pg_catalog.pg_type": "oid:o typname:n typnamespace:o typowner:o typlen:s typbyval:b typtype:c typcategory:c "
    "typispreferred:b typisdefined:b typdelim:c typrelid:o typsubscript:p typelem:o typarray:o typinput:p "
    "typoutput:p typreceive:p typsend:p typmodin:p typmodout:p typanalyze:p typalign:c typstorage:c "
    "typnotnull:b typbasetype:o typtypmod:i typndims:i typcollation:o typdefaultbin:t typdefault:t typacl:T",
    "pg_catalog.pg_index": "indexrelid:o indrelid:o indnatts:s indnkeyatts:s indisunique:b indnullsnotdistinct:b "
    "indisprimary:b indisexclusion:b indimmediate:b indisclustered:b indisvalid:b indcheckxmin:b indisready:b "
    "indislive:b indisreplident:b indkey:V indcollation:W indclass:W indoption:V indexprs:t indpred:t",
    "pg_catalog.pg_am": "oid:o amname:n amhandler:p amtype:c",
    "pg_catalog.pg_roles": "rolname:n rolsuper:b rolinherit:b rolcreaterole:b rolcreatedb:b rolcanlogin:b "
    "rolreplication:b rolconnlimit:i rolpassword:t rolvaliduntil:z rolbypassrls:b rolconfig:T oid:o",
    "pg_catalog.pg_user": "usename:n usesysid:o usecreatedb:b usesuper:b userepl:b usebypassrls:b passwd:t valuntil:z "
    "useconfig:T",
    "pg_catalog.pg_database": "oid:o datname:n datdba:o encoding:i datlocprovider:c datistemplate:b datallowconn:b "
    "datconnlimit:i datfrozenxid:o datminmxid:o dattablespace:o datcollate:t datctype:t daticulocale:t "
    "daticurules:t datcollversion:t datacl:T",
    "pg_catalog.pg_tablespace": "oid:o spcname:n spcowner:o spcacl:T spcoptions:T",
    "pg_catalog.pg_description": "objoid:o classoid:o objsubid:i description:t",
    "pg_catalog.pg_collation": "oid:o collname:n collnamespace:o collowner:o collprovider:c collisdeterministic:b "
    "collencoding:i collcollate:t collctype:t colliculocale:t collicurules:t collversion:t",
    "pg_catalog.pg_depend": "classid:o objid:o objsubid:i refclassid:o refobjid:o refobjsubid:i deptype:c",
    "pg_catalog.pg_rewrite": "oid:o rulename:n ev_class:o ev_type:c ev_enabled:c is_instead:b ev_qual:t ev_action:t",
    "pg_catalog.pg_proc": "oid:o proname:n pronamespace:o proowner:o prolang:o procost:f prorows:f provariadic:o "
    "prosupport:p prokind:c prosecdef:b proleakproof:b proisstrict:b proretset:b provolatile:c proparallel:c "
    "pronargs:s pronargdefaults:s prorettype:o proargtypes:W proallargtypes:O proargmodes:C proargnames:T "
    "proargdefaults:t protrftypes:O prosrc:t probin:t prosqlbody:t proconfig:T proacl:T",
    "pg_catalog.pg_language": "oid:o lanname:n lanowner:o lanispl:b lanpltrusted:b lanplcallfoid:o "
    "laninline:o lanvalidator:o lanacl:T",
    "pg_catalog.pg_tables": "schemaname:n tablename:n tableowner:n tablespace:n hasindexes:b hasrules:b hastriggers:b "
    "rowsecurity:b",
    "pg_catalog.pg_views": "schemaname:n viewname:n viewowner:n definition:t",
    "pg_catalog.pg_matviews": "schemaname:n matviewname:n matviewowner:n tablespace:n hasindexes:b ispopulated:b "
    "definition:t",
    "pg_catalog.pg_indexes": "schemaname:n tablename:n indexname:n tablespace:n indexdef:t",
    "pg_catalog.pg_settings": "name:t setting:t unit:t category:t short_desc:t extra_desc:t context:t vartype:t "
    "source:t min_val:t max_val:t enumvals:T boot_val:t reset_val:t sourcefile:t sourceline:i pending_restart:b",
    "pg_catalog.pg_stat_activity": "datid:o datname:n pid:i leader_pid:i usesysid:o usename:n application_name:t "
    "client_addr:t client_hostname:t client_port:i backend_start:z xact_start:z query_start:z state_change:z "
    "wait_event_type:t wait_event:t state:t query_id:l query:t backend_type:t",
    "information_schema.schemata": "catalog_name:n schema_name:n schema_owner:n default_character_set_catalog:n "
    "default_character_set_schema:n default_character_set_name:n sql_path:t",
    "information_schema.tables": "table_catalog:n table_schema:n table_name:n table_type:t "
    "self_referencing_column_name:n reference_generation:t user_defined_type_catalog:n "
    "user_defined_type_schema:n user_defined_type_name:n is_insertable_into:t is_typed:t commit_action:t",
    "information_schema.columns": "table_catalog:n table_schema:n table_name:n column_name:n ordinal_position:i "
    "column_default:t is_nullable:t data_type:t character_maximum_length:i character_octet_length:i "
    "numeric_precision:i numeric_precision_radix:i numeric_scale:i datetime_precision:i interval_type:t "
    "interval_precision:i character_set_catalog:n character_set_schema:n character_set_name:n "
    "collation_catalog:n collation_schema:n collation_name:n domain_catalog:n domain_schema:n domain_name:n "
    "udt_catalog:n udt_schema:n udt_name:n scope_catalog:n scope_schema:n scope_name:n maximum_cardinality:i "
    "dtd_identifier:n is_self_referencing:t is_identity:t identity_generation:t identity_start:t "
    "identity_increment:t identity_maximum:t identity_minimum:t identity_cycle:t is_generated:t "
    "generation_expression:t is_updatable:t",
    "information_schema.views": "table_catalog:n table_schema:n table_name:n view_definition:t check_option:t "
    "is_updatable:t is_insertable_into:t is_trigger_updatable:t is_trigger_deletable:t is_trigger_insertable_into:t",
    "mz_catalog.mz_schemas": "id:t oid:o database_id:t name:t owner_id:t",
    "mz_catalog.mz_databases": "id:t oid:o name:t owner_id:t",
    "mz_catalog.mz_objects": "id:t oid:o schema_id:t schema_name:t name:t type:t owner_id:t cluster_id:t",
    "mz_catalog.mz_relations": "id:t oid:o schema_id:t name:t type:t owner_id:t cluster_id:t",
    "mz_catalog.mz_tables": "id:t oid:o schema_id:t name:t owner_id:t create_sql:t",
    "mz_catalog.mz_views": "id:t oid:o schema_id:t name:t definition:t owner_id:t create_sql:t",
    "mz_catalog.mz_materialized_views": "id:t oid:o schema_id:t name:t cluster_id:t definition:t owner_id:t "
    "create_sql:t",
    "mz_catalog.mz_sources": "id:t oid:o schema_id:t name:t type:t envelope_type:t cluster_id:t owner_id:t create_sql:t",
    "mz_catalog.mz_sinks": "id:t oid:o schema_id:t name:t type:t envelope_type:t format:t cluster_id:t owner_id:t "
    "create_sql:t",
    "mz_catalog.mz_indexes": "id:t oid:o name:t on_id:t cluster_id:t owner_id:t create_sql:t",
    "mz_catalog.mz_index_columns": "index_id:t index_position:l on_position:l on_expression:t nullable:b",
    "mz_catalog.mz_clusters": "id:t name:t owner_id:t size:t",
    "mz_catalog.mz_cluster_replicas": "id:t name:t cluster_id:t size:t",
    "mz_catalog.mz_columns": "id:t name:t position:l nullable:b type:t default:t type_oid:o type_mod:i",
    "mz_catalog.mz_roles": "id:t oid:o name:t",
    "mz_internal.mz_frontiers": "object_id:t read_frontier:l write_frontier:l",
    "mz_internal.mz_hydration_statuses": "object_id:t replica_id:t hydrated:b hydration_seconds:d rows:l spark_job_id:l "
    "percent:d",
    "mz_internal.mz_spark_jobs": "id:l kind:t cluster:t object_id:t status:t started_at:z seconds:d rows_total:l "
    "rows_read:l levels:l levels_done:l tasks:l tasks_done:l percent:d error:t",
    "mz_internal.mz_object_dependencies": "object_id:t referenced_object_id:t",
    "mz_internal.mz_column_lineage": "object_id:t column_name:t referenced_object_id:t referenced_column_name:t kind:t",
    "mz_internal.mz_source_statuses": "id:t name:t type:t last_status_change_at:z status:t error:t details:t",
    "mz_internal.mz_sink_statuses": "id:t name:t type:t last_status_change_at:z status:t error:t details:t",
    "mz_internal.mz_cluster_replica_statuses": "replica_id:t process_id:l status:t reason:t updated_at:z",
    "mz_internal.mz_wallclock_global_lag": "object_id:t lag_ms:l",
    "mz_internal.mz_materialization_lag": "object_id:t local_lag_ms:l global_lag_ms:l",
    "mz_internal.mz_comments": "id:t object_type:t object_sub_id:i comment:t",
    "mz_internal.mz_definitions": "oid:o position:i definition:t",
    "mz_internal.mz_source_statistics": "id:t records:l bytes:l errors:l lag_bytes:l messages_received:l bytes_received:l "
    "updates_staged:l updates_committed:l snapshot_records_known:l snapshot_records_staged:l snapshot_committed:b "
    "offset_known:l offset_committed:l rehydration_latency:d dead_letters:l updates_filtered:l",
    "mz_internal.mz_dataflow_operators": "object_id:t replica_id:t node:l steps:l rows_in:l rows_out:l seconds:d state_rows:l "
    "state_bytes:l mapped_bytes:l",
    "mz_internal.mz_dataflow_state": "object_id:t replica_id:t memory_bytes:l mapped_bytes:l checkpoint_frontier:l",
    "pg_catalog.pg_constraint": "oid:o conname:n connamespace:o contype:c condeferrable:b condeferred:b "
    "convalidated:b conrelid:o contypid:o conindid:o conparentid:o confrelid:o confupdtype:c confdeltype:c "
    "confmatchtype:c conislocal:b coninhcount:s connoinherit:b conkey:S confkey:S conpfeqop:O conppeqop:O "
    "conffeqop:O confdelsetcols:S conexclop:O conbin:t",
    "information_schema.table_constraints": "constraint_catalog:n constraint_schema:n constraint_name:n "
    "table_catalog:n table_schema:n table_name:n constraint_type:t is_deferrable:t initially_deferred:t enforced:t",
    "information_schema.key_column_usage": "constraint_catalog:n constraint_schema:n constraint_name:n "
    "table_catalog:n table_schema:n table_name:n column_name:n ordinal_position:i position_in_unique_constraint:i",
    "information_schema.constraint_column_usage": "table_catalog:n table_schema:n table_name:n column_name:n "
    "constraint_catalog:n constraint_schema:n constraint_name:n",
    "information_schema.check_constraints": "constraint_catalog:n constraint_schema:n constraint_name:n check_clause:t",
}

_EMPTY = {
    "pg_catalog.pg_inherits": "inhrelid:o inhparent:o inhseqno:i inhdetachpending:b",
    "pg_catalog.pg_policy": "oid:o polname:n polrelid:o polcmd:c polpermissive:b polroles:O polqual:t polwithcheck:t",
    "pg_catalog.pg_trigger": "oid:o tgrelid:o tgparentid:o tgname:n tgfoid:o tgtype:s tgenabled:c tgisinternal:b "
    "tgconstrrelid:o tgconstrindid:o tgconstraint:o tgdeferrable:b tginitdeferred:b tgnargs:s tgattr:V tgargs:t "
    "tgqual:t tgoldtable:n tgnewtable:n",
    "pg_catalog.pg_statistic_ext": "oid:o stxrelid:o stxname:n stxnamespace:o stxowner:o stxstattarget:i stxkeys:V "
    "stxkind:C stxexprs:t",
    "pg_catalog.pg_publication": "oid:o pubname:n pubowner:o puballtables:b pubinsert:b pubupdate:b pubdelete:b "
    "pubtruncate:b pubviaroot:b",
    "pg_catalog.pg_publication_rel": "oid:o prpubid:o prrelid:o prqual:t prattrs:S",
    "pg_catalog.pg_publication_namespace": "oid:o pnpubid:o pnnspid:o",
    "pg_catalog.pg_publication_tables": "pubname:n schemaname:n tablename:n attnames:T rowfilter:t",
    "pg_catalog.pg_enum": "oid:o enumtypid:o enumsortorder:f enumlabel:n",
    "pg_catalog.pg_range": "rngtypid:o rngsubtype:o rngmultitypid:o rngcollation:o rngsubopc:o rngcanonical:p "
    "rngsubdiff:p",
    "pg_catalog.pg_sequence": "seqrelid:o seqtypid:o seqstart:l seqincrement:l seqmax:l seqmin:l seqcache:l seqcycle:b",
    "pg_catalog.pg_sequences": "schemaname:n sequencename:n sequenceowner:n data_type:t start_value:l min_value:l "
    "max_value:l increment_by:l cycle:b cache_size:l last_value:l",
    "pg_catalog.pg_foreign_table": "ftrelid:o ftserver:o ftoptions:T",
    "pg_catalog.pg_foreign_server": "oid:o srvname:n srvowner:o srvfdw:o srvtype:t srvversion:t srvacl:T srvoptions:T",
    "pg_catalog.pg_foreign_data_wrapper": "oid:o fdwname:n fdwowner:o fdwhandler:o fdwvalidator:o fdwacl:T fdwoptions:T",
    "pg_catalog.pg_partitioned_table": "partrelid:o partstrat:c partnatts:s partdefid:o partattrs:V partclass:W "
    "partcollation:W partexprs:t",
    "pg_catalog.pg_default_acl": "oid:o defaclrole:o defaclnamespace:o defaclobjtype:c defaclacl:T",
    "pg_catalog.pg_conversion": "oid:o conname:n connamespace:o conowner:o conforencoding:i contoencoding:i conproc:p "
    "condefault:b",
    "pg_catalog.pg_user_mappings": "umid:o srvid:o srvname:n umuser:o usename:n umoptions:T",
    "pg_catalog.pg_ts_config": "oid:o cfgname:n cfgnamespace:o cfgowner:o cfgparser:o",
    "pg_catalog.pg_ts_dict": "oid:o dictname:n dictnamespace:o dictowner:o dicttemplate:o dictinitoption:t",
    "pg_catalog.pg_ts_parser": "oid:o prsname:n prsnamespace:o prsstart:p prstoken:p prsend:p prsheadline:p prslextype:p",
    "pg_catalog.pg_ts_template": "oid:o tmplname:n tmplnamespace:o tmplinit:p tmpllexize:p",
    "pg_catalog.pg_subscription": "oid:o subdbid:o subname:n subowner:o subenabled:b subbinary:b substream:b "
    "subtwophasestate:c subdisableonerr:b subsynccommit:t subconninfo:t subpublications:T subskiplsn:t subslotname:n",
    "pg_catalog.pg_largeobject_metadata": "oid:o lomowner:o lomacl:T",
    "pg_catalog.pg_opfamily": "oid:o opfmethod:o opfname:n opfnamespace:o opfowner:o",
    "pg_catalog.pg_amop": "oid:o amopfamily:o amoplefttype:o amoprighttype:o amopstrategy:s amoppurpose:c amopopr:o "
    "amopmethod:o amopsortfamily:o",
    "pg_catalog.pg_amproc": "oid:o amprocfamily:o amproclefttype:o amprocrighttype:o amprocnum:s amproc:p",
    "pg_catalog.pg_statio_user_tables": "relid:o schemaname:n relname:n heap_blks_read:l heap_blks_hit:l",
    "pg_catalog.pg_stat_user_tables": "relid:o schemaname:n relname:n seq_scan:l n_live_tup:l n_dead_tup:l",
    "pg_catalog.pg_stat_user_indexes": "relid:o indexrelid:o schemaname:n relname:n indexrelname:n idx_scan:l",
    "pg_catalog.pg_timezone_names": "name:t abbrev:t utc_offset:v is_dst:b",
    "pg_catalog.pg_prepared_xacts": "gid:t owner:n database:n",
    "pg_catalog.pg_auth_members": "oid:o roleid:o member:o grantor:o admin_option:b inherit_option:b set_option:b",
    "pg_catalog.pg_aggregate": "aggfnoid:p aggkind:c aggnumdirectargs:s",
    "pg_catalog.pg_extension": "oid:o extname:n extowner:o extnamespace:o extrelocatable:b extversion:t",
    "pg_catalog.pg_event_trigger": "oid:o evtname:n evtevent:n evtowner:o evtfoid:o evtenabled:c evttags:T",
    "pg_catalog.pg_db_role_setting": "setdatabase:o setrole:o setconfig:T",
    "pg_catalog.pg_shdescription": "objoid:o classoid:o description:t",
    "pg_catalog.pg_locks": "locktype:t database:o relation:o pid:i mode:t granted:b",
    "pg_catalog.pg_operator": "oid:o oprname:n oprnamespace:o oprowner:o oprkind:c oprleft:o oprright:o oprresult:o oprcode:p",
    "pg_catalog.pg_opclass": "oid:o opcmethod:o opcname:n opcnamespace:o opcfamily:o opcintype:o opcdefault:b",
    "pg_catalog.pg_cast": "oid:o castsource:o casttarget:o castfunc:o castcontext:c castmethod:c",
    "information_schema.referential_constraints": "constraint_catalog:n constraint_schema:n constraint_name:n "
    "unique_constraint_catalog:n unique_constraint_schema:n unique_constraint_name:n match_option:t update_rule:t "
    "delete_rule:t",
    "information_schema.routines": "specific_catalog:n specific_schema:n specific_name:n routine_catalog:n "
    "routine_schema:n routine_name:n routine_type:t data_type:t routine_definition:t external_language:t",
    "information_schema.sequences": "sequence_catalog:n sequence_schema:n sequence_name:n data_type:t",
    "information_schema.role_table_grants": "grantor:n grantee:n table_catalog:n table_schema:n table_name:n "
    "privilege_type:t is_grantable:t with_hierarchy:t",
}  # fmt: skip


_LATER_FILLED = {
    "information_schema.information_schema_catalog_name": "catalog_name:n",
    "information_schema.table_privileges": "grantor:n grantee:n table_catalog:n table_schema:n table_name:n "
    "privilege_type:t is_grantable:t with_hierarchy:t",
    "information_schema.constraint_table_usage": "table_catalog:n table_schema:n table_name:n constraint_catalog:n "
    "constraint_schema:n constraint_name:n",
    "information_schema.view_table_usage": "view_catalog:n view_schema:n view_name:n table_catalog:n table_schema:n "
    "table_name:n",
    "information_schema.enabled_roles": "role_name:n",
    "information_schema.character_sets": "character_set_catalog:n character_set_schema:n character_set_name:n "
    "character_repertoire:n form_of_use:n default_collate_catalog:n default_collate_schema:n default_collate_name:n",
    "information_schema.collations": "collation_catalog:n collation_schema:n collation_name:n pad_attribute:t",
    "pg_catalog.pg_authid": "oid:o rolname:n rolsuper:b rolinherit:b rolcreaterole:b rolcreatedb:b rolcanlogin:b "
    "rolreplication:b rolbypassrls:b rolconnlimit:i rolpassword:t rolvaliduntil:z",
    "pg_catalog.pg_shadow": "usename:n usesysid:o usecreatedb:b usesuper:b userepl:b usebypassrls:b passwd:t "
    "valuntil:z useconfig:T",
    "mz_catalog.mz_types": "id:t oid:o schema_id:t name:t category:t owner_id:t create_sql:t",
    "mz_internal.mz_cluster_definitions": "id:t name:t create_sql:t",
}
"""Filled relations that came later.  The place of a relation in these tables is its id, which views have in their
stored definitions: after a release, new ones go to the end of the last table of all."""

_LATER_EMPTY = {
    "information_schema.triggers": "trigger_catalog:n trigger_schema:n trigger_name:n event_manipulation:t "
    "event_object_catalog:n event_object_schema:n event_object_table:n action_order:i action_condition:t "
    "action_statement:t action_orientation:t action_timing:t",
    "information_schema.domains": "domain_catalog:n domain_schema:n domain_name:n data_type:t domain_default:t "
    "udt_catalog:n udt_schema:n udt_name:n",
    "information_schema.domain_constraints": "constraint_catalog:n constraint_schema:n constraint_name:n "
    "domain_catalog:n domain_schema:n domain_name:n is_deferrable:t initially_deferred:t",
    "information_schema.parameters": "specific_catalog:n specific_schema:n specific_name:n ordinal_position:i "
    "parameter_mode:t is_result:t as_locator:t parameter_name:n data_type:t",
    "information_schema.applicable_roles": "grantee:n role_name:n is_grantable:t",
    "information_schema.user_defined_types": "user_defined_type_catalog:n user_defined_type_schema:n "
    "user_defined_type_name:n user_defined_type_category:t",
    "information_schema.foreign_tables": "foreign_table_catalog:n foreign_table_schema:n foreign_table_name:n "
    "foreign_server_catalog:n foreign_server_name:n",
    "pg_catalog.pg_group": "groname:n grosysid:o grolist:O",
    "pg_catalog.pg_rules": "schemaname:n tablename:n rulename:n definition:t",
    "pg_catalog.pg_policies": "schemaname:n tablename:n policyname:n permissive:t roles:T cmd:t qual:t with_check:t",
    "pg_catalog.pg_seclabel": "objoid:o classoid:o objsubid:i provider:t label:t",
    "pg_catalog.pg_seclabels": "objoid:o classoid:o objsubid:i objtype:t objnamespace:o objname:t provider:t label:t",
    "pg_catalog.pg_shseclabel": "objoid:o classoid:o provider:t label:t",
    "pg_catalog.pg_cursors": "name:t statement:t is_holdable:b is_binary:b is_scrollable:b creation_time:z",
    "pg_catalog.pg_available_extensions": "name:n default_version:t installed_version:t comment:t",
    "pg_catalog.pg_replication_slots": "slot_name:n plugin:n slot_type:t datoid:o database:n temporary:b active:b "
    "active_pid:i",
    "pg_catalog.pg_stat_replication": "pid:i usesysid:o usename:n application_name:t client_addr:t state:t sync_state:t",
    "pg_catalog.pg_transform": "oid:o trftype:o trflang:o trffromsql:o trftosql:o",
    "pg_catalog.pg_shdepend": "dbid:o classid:o objid:o objsubid:i refclassid:o refobjid:o deptype:c",
    "pg_catalog.pg_stat_user_functions": "funcid:o schemaname:n funcname:n calls:l total_time:d self_time:d",
    "pg_catalog.pg_statistic": "starelid:o staattnum:s stainherit:b stanullfrac:f stawidth:i stadistinct:f",
    "pg_catalog.pg_stats": "schemaname:n tablename:n attname:n inherited:b null_frac:f avg_width:i n_distinct:f "
    "correlation:f",
    "pg_catalog.pg_init_privs": "objoid:o classoid:o objsubid:i privtype:c initprivs:T",
    "pg_catalog.pg_parameter_acl": "oid:o parname:t paracl:T",
    "pg_catalog.pg_user_mapping": "oid:o umuser:o umserver:o umoptions:T",
    "pg_catalog.pg_largeobject": "loid:o pageno:i",
    "pg_catalog.pg_replication_origin": "roident:o roname:t",
    "pg_catalog.pg_ts_config_map": "mapcfg:o maptokentype:i mapseqno:i mapdict:o",
    "mz_catalog.mz_connections": "id:t oid:o schema_id:t name:t type:t owner_id:t create_sql:t privileges:T",
    "mz_catalog.mz_secrets": "id:t oid:o schema_id:t name:t owner_id:t privileges:T",
}  # fmt: skip

_OF_SESSIONS = {
    "pg_catalog.pg_prepared_statements": "name:t statement:t prepare_time:z parameter_types:T result_types:T from_sql:b "
    "generic_plans:l custom_plans:l",
    "mz_catalog.mz_role_members": "role_id:t member:t grantor:t",
    "mz_internal.mz_show_all_privileges": "grantor:t grantee:t database:t schema:t name:t object_type:t privilege_type:t "
    "is_grantable:b",
    "mz_internal.mz_show_default_privileges": "object_owner:t database:t schema:t object_type:t grantee:t privilege_type:t",
    "mz_internal.mz_source_references": "source_id:t namespace:t name:t columns:T updated_at:z",
}
"""What whoever reads it has made."""

_OF_CONNECTIONS = {
    "mz_catalog.mz_kafka_connections": "id:t brokers:T sink_progress_topic:t security_protocol:t sasl_mechanisms:t "
    "sasl_username:t",
    "mz_internal.mz_postgres_connections": "id:t host:t port:i database:t user:t ssl_mode:t",
    "mz_internal.mz_schema_registry_connections": "id:t url:t username:t",
    "mz_internal.mz_aws_connections": "id:t endpoint:t region:t access_key_id:t access_key_id_secret_id:t "
    "secret_access_key_secret_id:t session_token_secret_id:t",
    "mz_internal.mz_connection_secrets": "connection_id:t option:t secret_id:t",
    "mz_internal.mz_webhook_sources": "id:t name:t url:t",
    "mz_catalog.mz_kafka_sinks": "id:t topic:t",
    "mz_internal.mz_sink_statistics": "id:t messages_staged:l messages_committed:l bytes_staged:l bytes_committed:l",
    "mz_catalog.mz_kafka_sources": "id:t connection_id:t topic:t group_id_prefix:t key_format:t value_format:t",
}
"""What connections are made of."""

_OF_CHANGES = {
    "mz_internal.mz_last_changes": "object_id:t last_change:z",
    "mz_internal.mz_source_status_history": "occurred_at:z source_id:t status:t error:t details:t",
    "mz_internal.mz_sink_status_history": "occurred_at:z sink_id:t status:t error:t details:t",
    "mz_internal.mz_dead_letters": "id:t source_id:t",
}
"""When what changed."""

_OF_TOOLS = {
    "mz_internal.mz_sessions": "id:t connection_id:l role_id:t client_ip:t connected_at:z",
    "mz_internal.mz_object_transitive_dependencies": "object_id:t referenced_object_id:t",
    "mz_internal.mz_object_fully_qualified_names": "id:t name:t object_type:t schema_id:t schema_name:t database_id:t "
    "database_name:t cluster_id:t",
    "mz_internal.mz_compute_dependencies": "object_id:t dependency_id:t",
    "mz_internal.mz_materialization_dependencies": "object_id:t dependency_id:t",
    "mz_catalog.mz_timezone_names": "name:t",
    "information_schema.column_privileges": "grantor:n grantee:n table_catalog:n table_schema:n table_name:n column_name:n "
    "privilege_type:t is_grantable:t",
    "information_schema.view_column_usage": "view_catalog:n view_schema:n view_name:n table_catalog:n table_schema:n "
    "table_name:n column_name:n",
    "pg_catalog.pg_stat_database": "datid:o datname:n numbackends:i xact_commit:l xact_rollback:l blks_read:l blks_hit:l "
    "tup_returned:l tup_fetched:l tup_inserted:l tup_updated:l tup_deleted:l conflicts:l temp_files:l temp_bytes:l "
    "deadlocks:l blk_read_time:d blk_write_time:d session_time:d active_time:d sessions:l stats_reset:z",
    "mz_catalog.mz_postgres_sources": "id:t replication_slot:t timeline_id:u",
    "mz_internal.mz_postgres_source_tables": "id:t schema_name:t table_name:t",
    "mz_internal.mz_mysql_connections": "id:t host:t port:i user:t ssl_mode:t",
    "mz_internal.mz_mysql_source_tables": "id:t schema_name:t table_name:t",
    "pg_catalog.pg_stat_ssl": "pid:i ssl:b version:t cipher:t bits:i client_dn:t client_serial:N issuer_dn:t",
    "mz_internal.mz_source_own_tables": "id:t source_id:t",
    "mz_catalog.mz_audit_events": "id:u event_type:t object_type:t details:j user:t occurred_at:z",
    "mz_internal.mz_source_reductions": "id:t number:i definition:t",
    "mz_internal.mz_cluster_replica_workers": "replica_id:t worker_id:l process_id:l cpu_seconds:d memory_bytes:l "
    "messages_sent:l bytes_sent:l machine:t",
    "mz_internal.mz_dataflow_workers": "object_id:t replica_id:t worker_id:l process_id:l steps:l rows_received:l "
    "messages_sent:l bytes_sent:l busy_seconds:d waiting_seconds:d state_rows:l memory_bytes:l mapped_bytes:l",
    "mz_internal.mz_dataflow_skew": "object_id:t replica_id:t workers:l rows_received:d bytes_sent:d busy:d state_rows:d "
    "state_bytes:d",
}
"""What tools look at, those for Materialize among them; the newest of them all, so new relations go to the end of this table."""


def _schema(columns: str) -> Schema:
    pairs = (column.split(":") for column in columns.split())
    return Schema(tuple(Column(name, _TYPES[letter]) for name, letter in pairs))


SYSTEM_RELATIONS: dict[str, Schema] = {
    name: _schema(columns)
    for name, columns in {
        **_FILLED,
        **_EMPTY,
        **_LATER_FILLED,
        **_LATER_EMPTY,
        **_OF_SESSIONS,
        **_OF_CONNECTIONS,
        **_OF_CHANGES,
        **_OF_TOOLS,
    }.items()
}

_NO_LONGER_EMPTY = frozenset(
    {
        "pg_catalog.pg_range",
        "pg_catalog.pg_timezone_names",
        "pg_catalog.pg_cursors",
        "pg_catalog.pg_auth_members",
        "pg_catalog.pg_group",
        "information_schema.applicable_roles",
        "information_schema.role_table_grants",
        "pg_catalog.pg_default_acl",
        "pg_catalog.pg_proc",
        "pg_catalog.pg_language",
        "information_schema.routines",
        "information_schema.parameters",
        "mz_catalog.mz_connections",
        "mz_catalog.mz_secrets",
    }
)
"""Relations that are filled by now, in the place that they have always had."""
ALWAYS_EMPTY = frozenset(_EMPTY | _LATER_EMPTY) - _NO_LONGER_EMPTY

NEVER_FILLED = frozenset(
    {
        "attacl", "attfdwoptions", "attoptions", "indpred", "reloptions",
        "relpartbound", "typacl", "lanacl", "spcacl", "spcoptions",
    }
)  # fmt: skip
"""Columns of system relations that are NULL in every row: privileges, storage options, partitions."""
