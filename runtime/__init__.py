"""ptvc: a streaming SQL runtime.  Views are maintained incrementally, on Spark.

A map, from the outside in; each package may import those below it only:

server, cli   the processes: `ptvc serve`, up, down, sql
porting       a dbt project of another warehouse, rewritten for this one: `ptvc port`
check         a dbt project, typed without a runtime: `ptvc check`, lineage
dialects      SQL of other warehouses, made ours where it is proven to mean the same
lineage       of which columns a plan's columns are made
spark         the data source that users' own Spark jobs load
pgwire        PostgreSQL's protocol
coord         catalog, timestamps, sessions, group commit, control of replicas
sql           text -> planned statements
replica       what runs in a resident Spark task: dataflows, sources, sinks, queries
storage       sources and sinks: connector -> decode -> envelope
compute       relations -> operators over arrangements; Spark session and jobs
transform     rewriting relations
persist       durable collections of (row, time, diff): shards in consensus and blobs
expr          typed expressions and functions, relation algebra
repr          types, schemas, batches, hashes

An update goes storage -> persist -> replica -> compute -> persist -> storage (sinks) or pgwire (queries): see
docs/architecture.md.
"""
