-- Read-only transactions: what they refuse and what they show.
CREATE TABLE t (a int); CREATE TEMP TABLE mine (a int); INSERT INTO t VALUES (1)
;;
SHOW transaction_read_only
;;
BEGIN READ ONLY
;;
SHOW transaction_read_only
;;
SELECT current_setting('transaction_read_only'), a FROM t
;;
INSERT INTO mine VALUES (1)
;;
UPDATE mine SET a = 2
;;
SELECT * FROM mine
;;
SAVEPOINT s
;;
INSERT INTO t VALUES (2)
;;
ROLLBACK TO s
;;
UPDATE t SET a = 2
;;
ROLLBACK TO s
;;
DELETE FROM t
;;
ROLLBACK TO s
;;
MERGE INTO t USING mine ON t.a = mine.a WHEN NOT MATCHED THEN INSERT VALUES (1)
;;
ROLLBACK TO s
;;
TRUNCATE t
;;
ROLLBACK TO s
;;
CREATE TABLE u (a int)
;;
ROLLBACK TO s
;;
CREATE TEMP TABLE u (a int)
;;
ROLLBACK TO s
;;
CREATE TABLE u AS SELECT 1 AS a
;;
ROLLBACK TO s
;;
CREATE VIEW v AS SELECT a FROM t
;;
ROLLBACK TO s
;;
CREATE MATERIALIZED VIEW v AS SELECT a FROM t
;;
ROLLBACK TO s
;;
CREATE INDEX i ON t (a)
;;
ROLLBACK TO s
;;
CREATE SCHEMA s
;;
ROLLBACK TO s
;;
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
;;
ROLLBACK TO s
;;
ALTER TABLE t ADD COLUMN b int
;;
ROLLBACK TO s
;;
ALTER TABLE t RENAME TO u
;;
ROLLBACK TO s
;;
DROP TABLE t
;;
ROLLBACK TO s
;;
COMMENT ON TABLE t IS 'x'
;;
ROLLBACK TO s
;;
GRANT SELECT ON t TO PUBLIC
;;
ROLLBACK TO s
;;
REVOKE SELECT ON t FROM PUBLIC
;;
ROLLBACK TO s
;;
CREATE ROLE nobody_at_all
;;
ROLLBACK TO s
;;
SET TRANSACTION READ WRITE
;;
ROLLBACK TO s
;;
RELEASE s
;;
SET TRANSACTION READ WRITE
;;
ROLLBACK
;;
BEGIN READ ONLY; SET TRANSACTION READ WRITE; INSERT INTO t VALUES (3); COMMIT
;;
BEGIN; SET TRANSACTION READ ONLY; INSERT INTO t VALUES (4)
;;
ROLLBACK
;;
BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY; SHOW transaction_read_only
;;
SET transaction_read_only = off
;;
INSERT INTO t VALUES (5)
;;
COMMIT
;;
BEGIN; INSERT INTO t VALUES (6); SET TRANSACTION READ ONLY; SELECT count(*) FROM t; INSERT INTO t VALUES (7)
;;
ROLLBACK
;;
BEGIN; SAVEPOINT s; SET transaction_read_only = on; SHOW transaction_read_only; ROLLBACK TO s; SHOW transaction_read_only; COMMIT
;;
BEGIN; SET TRANSACTION READ ONLY; COMMIT; SHOW transaction_read_only
;;
SET TRANSACTION READ ONLY
;;
INSERT INTO t VALUES (8)
;;
SET default_transaction_read_only = on
;;
SHOW transaction_read_only
;;
INSERT INTO t VALUES (9)
;;
CREATE TABLE u (a int)
;;
DROP TABLE t
;;
BEGIN; INSERT INTO t VALUES (10)
;;
ROLLBACK
;;
BEGIN READ WRITE; INSERT INTO t VALUES (11); COMMIT
;;
SET default_transaction_read_only = maybe
;;
SET default_transaction_read_only = fal
;;
SHOW default_transaction_read_only
;;
SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
;;
SHOW default_transaction_read_only
;;
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE
;;
SHOW default_transaction_read_only
;;
BEGIN; SET default_transaction_read_only = on; INSERT INTO t VALUES (12); SHOW transaction_read_only; COMMIT
;;
RESET default_transaction_read_only
;;
RESET transaction_read_only
;;
BEGIN READ ONLY; RESET ALL; INSERT INTO t VALUES (13)
;;
ROLLBACK
;;
SELECT a FROM t ORDER BY a
;;
