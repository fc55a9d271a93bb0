"""MYSQL sources: tables of a MariaDB server, their contents and then its binary log."""
