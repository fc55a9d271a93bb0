"""Known bugs as edits of the code: each is a way in which it was wrong, or could be, and the tests that are to find it.

`FINDINGS` takes the fixes of the control plane's review out, one at a time, under the numbers that the review gave them; each of
its `tests` must fail then.  Of `OTHERS` one test is to find each.  `tests/mutants.py` puts them in.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """`old`, which occurs once in the file, becomes `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug.  `finding` is its number in the review of the control plane: then every one of `tests` fails; else one does."""

    name: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]
    finding: int | None = None


CONTROL_PLANE = "tests/e2e/inprocess/faults/test_control_plane.py"
LARGE = "tests/e2e/inprocess/sessions/test_large_statements.py"

FINDINGS = (
    Mutant(
        "a definition may name a cluster that was dropped, and fails when it is durable",
        (
            Edit(
                "runtime/sql/catalog/names.py",
                "if cluster not in (clusters := context.catalog.clusters()):",
                "if cluster not in (clusters := context.catalog.clusters()) and name is not None:",
            ),
            Edit(
                "runtime/coord/ddl/catalog_changes.py",
                "            validate(self._catalog, changes)\n            if",
                "            if",
            ),
        ),
        (f"{CONTROL_PLANE}::test_what_needs_a_cluster_that_is_gone_is_refused_and_harms_no_other",),
        1,
    ),
    Mutant(
        "a task that fails ends unseen",
        (
            Edit(
                "runtime/supervision.py",
                "            if (error := task.exception()) is not None:\n                self.fail(name, error)\n            elif",
                "            if task.exception() is None and",
            ),
        ),
        ("tests/test_supervision.py::test_an_exception_is_a_failure_and_logged_with_its_stack",),
        1,
    ),
    Mutant(
        "a thread that fails ends unseen",
        (
            Edit(
                "runtime/supervision.py",
                "            except BaseException as error:\n                self.fail(name, error)\n",
                "            except Exception:\n                return\n",
            ),
        ),
        ("tests/test_supervision.py::test_a_thread_that_fails_and_only_the_first_failure",),
        1,
    ),
    Mutant(
        "what commits a replica's outputs is a task of nobody",
        (
            Edit(
                "runtime/coord/controller/replica_connection.py",
                "self.spawn(self.outputs.run())",
                "asyncio.get_running_loop().create_task(self.outputs.run())",
            ),
        ),
        (
            "tests/test_supervision.py::test_tasks_and_threads_are_made_by_supervisors",
            f"{CONTROL_PLANE}::test_a_part_that_fails_stops_the_process_and_lets_no_writer_wait[Outputs._append]",
        ),
        1,
    ),
    Mutant(
        "a definition is in memory only if its statement still waits when it is durable",
        (
            Edit(
                "runtime/coord/storage/catalog_transactions.py",
                "await (append or self._commit.define)(Defined(rows, evolved, follow, timed, on_committed))",
                "await (append or self._commit.define)(Defined(rows, evolved, lambda: None))\n            follow()",
            ),
        ),
        (
            "tests/e2e/inprocess/definitions/test_session_tasks_that_end.py::test_what_it_has_defined_is_there",
        ),
        2,
    ),
    Mutant(
        "57014 for what becomes durable",
        (
            Edit(
                "runtime/coord/storage/acceptance.py",
                "    held = await _ended(work, withdraw)\n    if held is not None and not is_interrupt(held):",
                "    held = await _ended(work, withdraw)\n    if held is not None:",
            ),
        ),
        (f"{CONTROL_PLANE}::test_a_write_that_is_cancelled_while_it_becomes_durable_is_acknowledged",),
        3,
    ),
    Mutant(
        "commits are made on the event loop",
        (
            Edit(
                "runtime/coord/storage/group_commit.py",
                "        outcome = await asyncio.get_running_loop().run_in_executor(\n            self.thread, lambda: self._persist.append(writes, epoch=self._epoch, mark=mark)\n        )",
                "        outcome = self._persist.append(writes, epoch=self._epoch, mark=mark)",
            ),
        ),
        (f"{CONTROL_PLANE}::test_the_loop_never_waits_for_a_slow_store",),
        4,
    ),
    Mutant(
        "results are ordered on the event loop",
        (
            Edit(
                "runtime/coord/query/peeks.py",
                "            rows = await over_rows(sum(map(len, batches)), lambda: OrderedRows(schema, batches, finishing))",
                "            rows = OrderedRows(schema, batches, finishing)",
            ),
        ),
        (f"{LARGE}::test_large_results_are_ordered_beside_the_loop",),
        4,
    ),
    Mutant(
        "a literal of any length is read without a look at the interrupt",
        (
            Edit(
                "runtime/sql/syntax/quoted.py",
                "        bounds.append(match.end())\n        check_interrupt()",
                "        bounds.append(match.end())",
            ),
            Edit(
                "runtime/sql/syntax/quoted.py",
                "            check_interrupt()\n            yield decode(",
                "            yield decode(",
            ),
        ),
        ("tests/sql/syntax/test_quoted.py::test_one_long_token_is_cancelled_between_its_slices",),
        4,
    ),
    Mutant(
        "a computation whose statement is cancelled goes on",
        (Edit("runtime/coord/thread_pool.py", "            task.interrupt.set()\n", ""),),
        ("tests/coord/test_thread_pool.py::test_what_is_not_awaited_any_more_ends_and_its_thread_goes_on",),
        5,
    ),
    Mutant(
        "a worker that does not stop is not killed",
        (Edit("runtime/replica/queries/pool.py", "KILL_S = 0.1", "KILL_S = 3600.0"),),
        (
            "tests/replica/test_queries.py::test_a_query_that_does_not_stop_is_killed_within_a_fifth_of_a_second",
        ),
        5,
    ),
    Mutant(
        "a sink that lags holds references to all that it has not written",
        (Edit("runtime/replica/sink_input.py", "if self._held + more <= self._most_held:", "if more >= 0:"),),
        (
            "tests/replica/test_sink_input.py::test_beyond_the_budget_nothing_is_taken_until_all_is_read",
            "tests/replica/test_sources_and_sinks.py::test_a_stalled_sink_holds_no_more_than_its_budget_and_catches_up",
        ),
        6,
    ),
    Mutant(
        "a sink reads its first contents under the lock that commits need",
        (
            Edit(
                "runtime/replica/egress.py",
                "                chunk = self.input.take(sink.upper)\n            self._write(sink, self._read(chunk).oks, chunk.lower, chunk.upper)",
                "                chunk = self.input.take(sink.upper)\n                oks = self._read(chunk).oks\n            self._write(sink, oks, chunk.lower, chunk.upper)",
            ),
        ),
        (
            "tests/replica/test_sources_and_sinks.py::test_the_first_contents_are_read_while_commits_are_received",
        ),
        6,
    ),
    Mutant(
        "reads are at times that cannot be reserved while the disk is full",
        (
            Edit(
                "runtime/coord/storage/oracle.py",
                "        closed = self.closed\n",
                "        closed = min(self._open, default=self._closed)\n",
            ),
        ),
        (f"{CONTROL_PLANE}::test_reads_go_on_while_nothing_can_be_written",),
        7,
    ),
    Mutant(
        "half-open connections keep others out",
        (
            Edit(
                "runtime/pgwire/listener.py",
                "        oldest = self._opening.add(wire, _network(wire))\n",
                '        if len(self._opening) >= self._limits.max_opening:\n            wire.send(codec.error_response(_full("sorry, too many clients are connecting"), severity="FATAL"))\n            wire.close()\n            return\n        oldest = self._opening.add(wire, _network(wire))\n',
            ),
        ),
        (
            "tests/pgwire/test_listener.py::test_connections_that_never_start_are_bounded",
            "tests/pgwire/test_listener.py::test_a_flood_of_half_open_connections_keeps_nobody_out",
        ),
        8,
    ),
    Mutant(
        "dbt drops relations and puts their successors in their places in two transactions",
        (
            Edit(
                "dbt/adapters/ptvc/staging/placing.py",
                "        *(dropping(relation) for relation in dropped),\n",
                '        *(dropping(relation) for relation in dropped),\n        "commit",\n        "begin",\n',
            ),
        ),
        ("tests/adapter/test_swaps.py::TestSwaps::test_a_reader_always_finds_a_relation",),
        9,
    ),
    Mutant(
        "a reader whose relation is dropped under it does not look for the successor",
        (
            Edit(
                "runtime/coord/session/replanning.py",
                "if begun or attempt == MAX_ATTEMPTS - 1:",
                "if not begun or attempt == MAX_ATTEMPTS - 1:",
            ),
        ),
        ("tests/e2e/inprocess/sessions/test_successions.py::test_readers_never_find_none",),
        9,
    ),
    Mutant(
        "a row of progress names the time of which nothing was told yet",
        (
            Edit(
                "runtime/coord/query/subscription_rows.py",
                "        return self._progress(time)",
                "        return self._progress(time + 1)",
            ),
        ),
        ("tests/e2e/inprocess/test_resumed_subscriptions.py::test_from_every_progress_row",),
        10,
    ),
    Mutant(
        "the data directory is for everybody to read",
        (
            Edit(
                "runtime/directory.py",
                "        if mode & PRIVATE_UMASK:",
                "        if mode == PRIVATE_UMASK:",
            ),
        ),
        ("tests/test_directory.py::test_an_older_one_is_tightened_when_it_is_opened",),
        11,
    ),
    Mutant(
        "a sink may write into the runtime's own directory",
        (
            Edit(
                "runtime/directory.py",
                "        if place.is_relative_to(directory):",
                "        if place == directory:",
            ),
        ),
        (
            "tests/test_directory.py::test_paths_into_it_are_found_however_they_are_written",
            "tests/test_directory.py::test_neither_sources_nor_sinks_touch_it",
        ),
        11,
    ),
    Mutant(
        "reads fail while a driver that was killed is started again",
        (
            Edit(
                "runtime/coord/controller/driver_process.py",
                "self._on_exit(failure if self._failed_starts >= HOPELESS_AFTER else None)",
                "self._on_exit(failure)",
            ),
        ),
        ("tests/coord/controller/test_driver_process.py::test_queries_wait_however_often_it_is_killed",),
        11,
    ),
    Mutant(
        "a constant may be of any size",
        (
            Edit(
                "runtime/expr/columns/value_size.py",
                "if size > MAX_VALUE and _limited.get():",
                "if size > MAX_VALUE << 10 and _limited.get():",
            ),
        ),
        ("tests/coord/test_thread_pool.py::test_values_are_limited_inside_only",),
        12,
    ),
    Mutant(
        "endless work does not look whether it is cancelled",
        (
            Edit(
                "runtime/interrupt.py",
                "    if interrupt is not None and interrupt.error is not None:\n        raise interrupt.error",
                "    del interrupt",
            ),
        ),
        (
            "tests/test_interrupt.py::test_the_innermost_interrupt_counts",
            "tests/sql/syntax/test_quoted.py::test_reading_is_cancelled",
        ),
        12,
    ),
    Mutant(
        "bounds of dates are compared with moments as numbers",
        (
            Edit(
                "runtime/coord/storage/part_choice.py",
                "    if _scale(wanted) == _scale(type_):",
                "    if _scale(wanted):",
            ),
        ),
        ("tests/coord/storage/test_part_choice.py::test_what_a_comparison_is_true_of_is_read",),
        12,
    ),
    Mutant(
        "a long IN list has a token for each literal",
        (
            Edit(
                "runtime/sql/parser/lexer.py",
                '_LISTS = {"values": scan, "in": scan_list}',
                '_LISTS = {"values": scan}',
            ),
        ),
        ("tests/sql/syntax/test_literal_rows.py::test_a_list_is_one_constant",),
        12,
    ),
    Mutant(
        "a relation derives its schema again and again",
        (
            Edit(
                "runtime/expr/tree/derived_schema.py",
                '            object.__setattr__(self, "_schema", schema)\n',
                "",
            ),
        ),
        ("tests/expr/tree/test_derived_schema.py::test_it_is_derived_once",),
        12,
    ),
    Mutant(
        "arrays of lists and of maps can be made",
        (
            Edit(
                "runtime/repr/types.py",
                "    if element.kind in (Kind.LIST, Kind.MAP):",
                "    if element.kind is Kind.RECORD:",
            ),
            Edit(
                "runtime/sql/syntax/types.py",
                "        if base.kind in NESTED:",
                "        if base.kind is Kind.RECORD:",
            ),
        ),
        ("tests/sql/test_named_types.py::test_what_is_refused",),
        13,
    ),
    Mutant(
        "a view that is dropped while it is hydrated is hydrated to the end",
        (
            Edit(
                "runtime/replica/dataflows.py",
                "            self._interrupts.set(id)\n",
                "            return\n",
            ),
        ),
        (
            "tests/replica/test_dataflows.py::test_a_view_that_is_dropped_while_its_contents_are_read_reads_no_further",
            "tests/replica/test_dataflows.py::test_a_view_that_is_dropped_in_its_first_step_stops_between_operators",
        ),
        14,
    ),
    Mutant(
        "BEGIN commits what stands before it in its message",
        (
            Edit(
                "runtime/coord/session/session_transaction.py",
                "                transaction.begin_block()",
                "                if not in_block:\n                    await self.commit()\n                self.begin_implicit().begin_block()",
            ),
        ),
        (
            "tests/e2e/inprocess/sessions/test_implicit_transactions.py::test_begin_takes_over_what_its_message_has_done",
        ),
        15,
    ),
    Mutant(
        "DISCARD ALL keeps temporary objects",
        (
            Edit(
                "runtime/coord/session/execution.py",
                "            await self._sequencer.ddl.drop_temporary(self._temp_schema)\n            await self._cursors.close_all()\n            self._statements.clear()",
                "            await self._cursors.close_all()\n            self._statements.clear()",
            ),
        ),
        (
            "tests/e2e/inprocess/sessions/test_implicit_transactions.py::test_discard_leaves_no_temporary_object",
        ),
        15,
    ),
    Mutant(
        "no run has a random order",
        (
            Edit(
                "tests/plugins/shuffle.py",
                "    if config.option.shuffle is not None:\n        by_id",
                "    if config.option.shuffle is None:\n        by_id",
            ),
        ),
        ("tests/plugins/test_plugins.py::test_a_random_order_is_shown_and_can_be_repeated",),
        16,
    ),
)

OTHERS = (
    Mutant(
        "an executor that has gone is a machine without an address, on which a replica is to run",
        (
            Edit(
                "runtime/compute/spark/placement.py",
                'if each.id() != "driver" and each.hostPort()',
                'if each.id() != "driver"',
            ),
        ),
        ("tests/compute/spark/test_placement.py::test_an_executor_that_has_gone_is_no_place",),
    ),
    Mutant(
        "who dials the coordinator need not know the secret",
        (
            Edit(
                "runtime/replica/protocol/handshake.py",
                "        if not hmac.compare_digest(proof, expected):\n",
                "        if len(proof) != len(expected):\n",
            ),
        ),
        ("tests/replica/protocol/test_handshake.py::test_who_does_not_know_it_is_not_admitted",),
    ),
    Mutant(
        "TLS that was tampered with on the way ends the coordinator",
        (
            Edit(
                "runtime/replica/protocol/connection.py",
                "        except (asyncio.IncompleteReadError, OSError):",
                "        except (asyncio.IncompleteReadError, ConnectionError):",
            ),
        ),
        (
            "tests/coord/controller/test_control_listener.py::test_tls_that_was_tampered_with_ends_the_connection",
        ),
    ),
    Mutant(
        "strangers at the control port keep replicas out",
        (
            Edit(
                "runtime/coord/controller/control_listener.py",
                "            oldest.make_way()\n",
                "            self._strangers.remove(stranger)\n            self._strangers.add(oldest, network_of_peer(transport))\n            stranger.make_way()\n",
            ),
        ),
        (
            "tests/coord/controller/test_control_listener.py::test_who_says_nothing_keeps_nobody_out",
            "tests/coord/controller/test_control_listener.py::test_one_stranger_more_ends_the_oldest",
        ),
    ),
    Mutant(
        "a message may hold values of other types than its fields have",
        (
            Edit(
                "runtime/replica/protocol/codec.py",
                "                if kinds not in form.seen:\n                    form.check(kinds)\n",
                "",
            ),
        ),
        ("tests/replica/protocol/test_codec.py::test_other_bytes_are_refused",),
    ),
    Mutant(
        "a project's own default materialization of data tests is passed over",
        (
            Edit(
                "dbt/adapters/ptvc/dialect.py",
                "    return PROJECT_NAME if macro is None or macro.package_name in built_in else str(macro.package_name)\n",
                "    return PROJECT_NAME\n",
            ),
        ),
        (
            "tests/adapter/packages/test_macros.py::TestProjectsOwnTests::test_whose_materialization_it_is",
            "tests/adapter/packages/test_macros.py::TestPackagesOwnTestsAllowed::test_whose_materialization_it_is",
        ),
    ),
    Mutant(
        "a job reads NULL in old rows of a table for a column that was added with a default",
        (
            Edit(
                "runtime/replica/jobs.py",
                "    return schemas | {id_: Schema(columns) for id_, columns in stored.items()}",
                "    return schemas",
            ),
        ),
        (
            "tests/e2e/inprocess/definitions/test_alter_table.py::test_old_rows_have_what_a_column_was_added_with",
        ),
    ),
    Mutant(
        "LIMIT 0 reads rows, and a job of it has inputs that its plan has not",
        (
            Edit(
                "runtime/coord/query/peeks.py",
                "        if _shows_none(finishing):\n            return\n        changes",
                "        changes",
            ),
        ),
        ("tests/differential/test_differential.py::test_statements[set_operations_and_order]",),
    ),
    Mutant(
        "time goes on when commits have ended",
        (
            Edit(
                "runtime/coord/storage/group_commit.py",
                "        if self._ended is not None:\n            return\n        self._oracle.tick()",
                "        self._oracle.tick()",
            ),
        ),
        (
            "tests/coord/storage/test_group_commit.py::test_nothing_is_told_once_a_commit_has_failed_when_it_was_durable",
        ),
    ),
    Mutant(
        "time goes on beyond a commit of which nobody knows whether it was done",
        (
            Edit(
                "runtime/coord/storage/group_commit.py",
                "            if isinstance(error, Fenced | Indeterminate):",
                "            self._oracle.close(time)\n            if isinstance(error, Fenced | Indeterminate):",
            ),
        ),
        ("tests/coord/storage/test_group_commit.py::test_nothing_is_complete_beyond_an_unknown_outcome",),
    ),
    Mutant(
        "an object that one replica cannot install has failed on all",
        (
            Edit(
                "runtime/coord/controller/installer.py",
                "        if self._installation.is_maintained(item):\n            return\n        waited",
                "        waited",
            ),
        ),
        (
            "tests/coord/controller/test_replicas.py::test_one_on_which_nothing_can_be_installed_harms_no_reader",
        ),
    ),
    Mutant(
        "what a session cannot drop as it ends stays",
        (Edit("runtime/coord/controller/maintenance.py", "        await self._drop_left_behind()\n", ""),),
        (f"{CONTROL_PLANE}::test_what_a_session_cannot_drop_as_it_ends_is_dropped_later",),
    ),
    Mutant(
        "a hold ends the holds of others",
        (
            Edit(
                "runtime/persist/state.py",
                "holds = (*(h for h in head.holds if h.holder != hold.holder), hold)",
                "holds = (hold,)",
            ),
        ),
        ("tests/persist/test_holds.py", "tests/persist/test_client.py"),
    ),
    Mutant(
        "a commit of which a reader sees a half is remembered twice",
        (
            Edit(
                "runtime/persist/cache.py",
                "        with self._lock:\n            entry = self._entries[shard]\n            head, known = entry.head, None",
                "        head = self._entries[shard].head\n        with self._lock:\n            entry = self._entries[shard]\n            known = None",
            ),
        ),
        ("tests/persist/test_cache.py",),
    ),
    Mutant(
        "a checkpoint names files that are on this machine alone",
        (
            Edit(
                "runtime/compute/run_store.py",
                "        self.shared.publish(file.path for some in files.values() for file in some)\n",
                "",
            ),
        ),
        ("tests/compute/test_copied_state.py",),
    ),
    Mutant(
        "a file of which half was fetched is taken for the whole",
        (
            Edit(
                "runtime/compute/shared_files.py",
                '            temporary = path.with_name(f"{path.name}.{token_hex(8)}.partial")\n',
                "            temporary = path\n",
            ),
            Edit(
                "runtime/compute/shared_files.py",
                "            except BaseException:\n                temporary.unlink(missing_ok=True)\n                raise",
                "            except BaseException:\n                raise",
            ),
        ),
        ("tests/compute/test_shared_files.py",),
    ),
    Mutant(
        "the directory of a new blob is not synced",
        (
            Edit(
                "runtime/persist/blob/file.py",
                "                os.unlink(temporary)\n        sync_directory(path.parent)",
                "                os.unlink(temporary)",
            ),
        ),
        ("tests/persist/stores/test_blob.py", "tests/persist/test_power_loss.py"),
    ),
    Mutant(
        "updates at the since itself are given out though they may have been advanced to it",
        (
            Edit(
                "runtime/persist/state.py",
                "lower <= head.since and head.since > head.start",
                "lower < head.since and head.since > head.start",
            ),
        ),
        ("tests/persist/test_client.py", "tests/persist/test_state_machine.py"),
    ),
    Mutant(
        "of two replicas' outputs the second loses a time",
        (
            Edit(
                "runtime/coord/storage/group_commit.py",
                "parts=trim(update.parts, known))",
                "parts=trim(update.parts, known + 1))",
            ),
        ),
        ("tests/coord/storage/test_group_commit.py",),
    ),
    Mutant(
        "two transactions of one group that conflict are both committed",
        (Edit("runtime/coord/storage/group_commit.py", "if id not in earlier.tables and self", "if self"),),
        ("tests/coord/storage/test_group_commit.py", "tests/e2e/inprocess/sessions"),
    ),
    Mutant(
        "two changes of one key in one group are both committed",
        (Edit("runtime/coord/storage/unique_keys.py", " or earlier.touches(key, hashes)", ""),),
        ("tests/coord/storage/test_unique_keys.py", "tests/e2e/inprocess/sessions/test_conflicts.py"),
    ),
    Mutant(
        "who changes a row does not conflict with who has changed it under its key",
        (Edit("runtime/coord/dml/writes.py", "KeyCounts(zeros=True)).copy()", "KeyCounts()).copy()"),),
        ("tests/e2e/inprocess/sessions/test_conflicts.py",),
    ),
    Mutant(
        "reads do not wait for writes that are under way",
        (Edit("runtime/coord/storage/oracle.py", "min(self._open, default=self._closed)", "self._closed"),),
        ("tests/coord/storage/test_oracle.py",),
    ),
    Mutant(
        "a row leaves the window of mz_now() one time too early or late",
        (
            Edit(
                "runtime/compute/operators/temporal_filter.py",
                "now = events.times < end",
                "now = events.times <= end",
            ),
        ),
        ("tests/compute/operators/test_temporal_filter.py",),
    ),
    Mutant(
        "retractions do not reach the counts of DISTINCT",
        (
            Edit(
                "runtime/compute/operators/counts.py",
                "arrived = np.flatnonzero(sums)",
                "arrived = np.flatnonzero(sums > 0)",
            ),
        ),
        ("tests/compute/operators/test_distinct.py",),
    ),
    Mutant(
        "a row that appears at two times of a step is there twice",
        (
            Edit(
                "runtime/compute/operators/counts.py",
                "come = come[np.flatnonzero(np.diff(group, prepend=-1))]",
                "pass",
            ),
        ),
        ("tests/compute/operators/test_append_only.py",),
    ),
    Mutant(
        "a key that changes at n times on both sides makes n^2 pairs, which cancel",
        (
            Edit(
                "runtime/compute/operators/joins/versions.py",
                "if len(left) * len(right) <= FEW_PAIRS:",
                "if len(left) * len(right) >= 0:",
            ),
        ),
        ("tests/compute/operators/test_versions.py",),
    ),
    Mutant(
        "the step after a backlog finds every update of a key that it brought",
        (
            Edit(
                "runtime/compute/arrangement.py",
                "if len(delta) < SETTLED_ROWS or",
                "if len(delta) >= 0 or",
            ),
        ),
        ("tests/compute/operators/test_versions.py",),
    ),
    Mutant(
        "changes of both sides at one time are paired twice",
        (
            Edit(
                "runtime/compute/operators/joins/versions.py",
                '"left" if after else "right"',
                '"left"',
            ),
        ),
        ("tests/compute/operators/test_versions.py",),
    ),
    Mutant(
        "a lookup does not see what changes after the stream did",
        (
            Edit(
                "runtime/compute/operators/joins/lookup.py",
                "        if len(changes):\n",
                "        if not len(changes):\n",
            ),
        ),
        ("tests/compute/operators/test_versions.py",),
    ),
    Mutant(
        "NULL joins NULL",
        (
            Edit(
                "runtime/compute/operators/joins/join.py",
                "self._null_safe = null_safe",
                "self._null_safe = True",
            ),
        ),
        ("tests/compute/operators/test_join.py",),
    ),
    Mutant(
        "an outer join becomes an inner one by a predicate over the wrong side",
        (
            Edit(
                "runtime/transform/outer_to_inner.py",
                "if keeps_left and any(rejects_null(predicate, right)",
                "if keeps_left and any(rejects_null(predicate, left)",
            ),
        ),
        ("tests/transform",),
    ),
    Mutant(
        "halves are rounded down",
        (Edit("runtime/expr/columns/decimals.py", "* 2 >= bottom)", "* 2 > bottom)"),),
        ("tests/expr",),
    ),
    Mutant(
        "a choice in a regular expression wishes for nothing",
        (
            Edit(
                "runtime/expr/regex/agreement.py",
                "return found | {True for node in nodes if isinstance(node, Alternation)}",
                "return found",
            ),
        ),
        ("tests/expr/test_regular_expressions.py",),
    ),
    Mutant(
        "a secret opens with what was sealed for another one",
        (
            Edit(
                "runtime/coord/secrets/key_ring.py",
                'return _DOMAIN + f"{key_id}\\0{id}".encode()',
                "return _DOMAIN + key_id.encode()",
            ),
        ),
        ("tests/coord/secrets/test_key_ring.py",),
    ),
    Mutant(
        "of several brokers only the first that answers has to be allowed",
        (
            Edit(
                "runtime/storage/connections/kafka.py",
                "            if error.step is Step.POLICY:\n                raise\n",
                "            del error\n",
            ),
        ),
        ("tests/storage/connections/test_kafka.py",),
    ),
    Mutant(
        "a sink goes over from what it was given last, whatever its target shows",
        (
            Edit(
                "runtime/replica/egress.py",
                "self._formers = [each for each in self._formers if each[0].generation == wanted]",
                "self._formers = self._formers[-1:]",
            ),
        ),
        ("tests/replica/test_sink_exchanges.py",),
    ),
    Mutant(
        "two positions of a sink that are recorded at one time both stay",
        (Edit("runtime/coord/storage/storage.py", "async with self._recording:", "if self._recording:"),),
        ("tests/coord/storage/test_storage.py",),
    ),
    Mutant(
        "a block does not go together with a sink that lets go of what it has read",
        (
            Edit(
                "runtime/coord/catalog/conflicts.py",
                " and not _has_let_go(base.get(key), now.get(key))",
                "",
            ),
        ),
        ("tests/coord/catalog/test_catalog_conflicts.py",),
    ),
    Mutant(
        "a Kafka sink that could not read its progress writes on with what it knew before",
        (
            Edit(
                "runtime/storage/sink/kafka/sink.py",
                "        known = self._read_progress()\n",
                "        self._transactions = transactions\n        known = self._read_progress()\n",
            ),
        ),
        ("tests/storage/sink/kafka/test_sink.py::test_nothing_is_written_before_progress_is_known_again",),
    ),
    Mutant(
        "a decimal in Avro lacks the byte that only has its sign",
        (
            Edit(
                "runtime/storage/sink/avro/encoding.py",
                "    start = first - ((big_endian[rows, first] >= _SIGN) != negative)\n",
                "    start = first\n",
            ),
        ),
        ("tests/storage/sink/avro/test_payloads.py",),
    ),
    Mutant(
        "a sink's keys have the schema of what it reads now, and so other bytes after ALTER SINK",
        (
            Edit(
                "runtime/storage/sink/kafka/options.py",
                "tuple(key), frozenset(avro.required)",
                "tuple(key), frozenset(i for i, column in enumerate(schema) if not column.nullable)",
            ),
        ),
        ("tests/e2e/inprocess/kafka/test_avro_sinks.py",),
    ),
    Mutant(
        "the text of a connection with a password in it is kept",
        (
            Edit(
                "runtime/sql/cache/plan_cache.py",
                "return isinstance(statement.node, ConnectionStatement)",
                "return False",
            ),
        ),
        ("tests/e2e/inprocess/connections/test_leaks.py",),
    ),
    Mutant(
        "what a secret is computed from is in the message of its failure",
        (
            Edit(
                "runtime/sql/statement/secret.py",
                "    except QueryCanceled:\n        raise\n",
                "    except PtvcError:\n        raise\n",
            ),
        ),
        ("tests/e2e/inprocess/connections/test_leaks.py",),
    ),
    Mutant(
        "key words of the clock are shown as functions",
        (
            Edit(
                "runtime/sql/plans/explain_tree.py",
                'return function.upper() if function in RESERVED else f"{function}()"',
                'return f"{function}()"',
            ),
        ),
        ("tests/e2e/inprocess/test_show.py",),
    ),
    Mutant(
        "a broker that refuses a client's certificate is taken for one that does not answer",
        (
            Edit(
                "runtime/storage/connections/kafka.py",
                'or (error.code() == of._TRANSPORT and "SSL routines" in error.str())',
                "or False",
            ),
        ),
        ("tests/e2e/inprocess/kafka/test_secured_connections.py",),
    ),
    Mutant(
        "what a job has read for a source is committed as read, without its parts",
        (
            Edit(
                "runtime/replica/ingest.py",
                "by_others.parts.get(id_, ()) for id_ in self._outputs}",
                "() for id_ in self._outputs}",
            ),
        ),
        ("tests/replica/sources/test_shares.py",),
    ),
    Mutant(
        "a share of a worker that has ended is read by nobody",
        (
            Edit(
                "runtime/replica/workers/source_shares.py",
                "                    reading.put_back(number)\n",
                "",
            ),
        ),
        (
            "tests/replica/workers/test_source_shares.py::test_a_share_of_a_member_that_is_killed_is_read_by_another",
        ),
    ),
    Mutant(
        "parts of a file that was replaced while they were read are put together",
        (
            Edit(
                "runtime/storage/source/file_shares.py",
                'return (mark["offset"], mark["check"]) == (then.mark["offset"], then.mark["check"])',
                'return bool(mark["offset"] == then.mark["offset"])',
            ),
        ),
        (
            "tests/storage/test_share_reading.py::test_a_file_of_lines_that_is_replaced_while_it_is_read_is_not_taken",
        ),
    ),
    Mutant(
        "a source that fails when nobody is there to be told ends with a traceback",
        (
            Edit(
                "runtime/replica/ingest.py",
                "self._report_failure(reason)",
                'self._send(Status(command.id, "failed", reason))',
            ),
        ),
        ("tests/replica/test_sources_and_sinks.py",),
    ),
    Mutant(
        "shares of files cannot be told to a job",
        (
            Edit(
                "runtime/replica/protocol/vocabulary.py",
                '    "storage.source.file_shares": "Extent",\n',
                "",
            ),
        ),
        ("tests/storage/test_share_reading.py",),
    ),
    Mutant(
        "a source is said to have read what was there before it has",
        (
            Edit(
                "runtime/replica/ingest.py",
                '"snapshot_committed": now.snapshot_done if committed is None else committed,',
                '"snapshot_committed": True,',
            ),
        ),
        ("tests/adapter/sources/test_waiting.py",),
    ),
    Mutant(
        "a carriage return ends a row of CSV for the parser and not for its lines",
        (
            Edit(
                "runtime/storage/decode_csv.py",
                "found[line_of[before % 2 == 0]] = True",
                "found[line_of[before % 2 == 0]] = False",
            ),
        ),
        ("tests/storage/test_decode_csv.py",),
    ),
    Mutant(
        "the parser of CSV drops a byte order mark that is in the middle of a file",
        (
            Edit(
                "runtime/storage/decode_csv.py",
                "return BOM + data if data.startswith(BOM) else data",
                "return data",
            ),
        ),
        ("tests/storage/test_decode_csv.py",),
    ),
    Mutant(
        "U+2028 in a string cuts a JSON document of a webhook",
        (Edit("runtime/coord/webhooks/judge.py", 'text.split("\\n")', "text.splitlines()"),),
        ("tests/coord/webhooks/test_judge.py",),
    ),
    Mutant(
        "the end mark that an older client sends is a row of a csv file",
        (
            Edit(
                "runtime/pgwire/copy_text.py",
                "mark = mark[mark == starts[-1]] if used == len(raw) else mark[:0]",
                "mark = mark[:0]",
            ),
        ),
        ("tests/pgwire/test_copy_text.py",),
    ),
    Mutant(
        "a negative zero of a document keeps its sign",
        (Edit("runtime/expr/jsonb/canonical.py", 'if number[0] == "-" or "e" in', 'if "e" in'),),
        ("tests/expr/jsonb/test_canonical.py",),
    ),
    Mutant(
        "a number of a document that a later value of its key replaces may be beyond all bounds",
        (
            Edit(
                "runtime/expr/jsonb/document.py",
                "json.JSONDecoder(parse_float=_number, parse_constant=no_constant),",
                "json.JSONDecoder(parse_float=Decimal, parse_constant=no_constant),",
            ),
        ),
        ("tests/expr/jsonb/test_canonical.py::test_a_number_that_a_later_value_replaces_is_an_overflow_too",),
    ),
    Mutant(
        "a sink that was replaced before it was open takes over from the one that runs",
        (
            Edit(
                "runtime/storage/sink/kafka/sink.py",
                "return progress is not None and progress.term > self._term",
                "return False",
            ),
        ),
        ("tests/storage/sink/kafka/test_sink.py",),
    ),
    Mutant(
        "executors that miss their driver live on beside those of the next one",
        (
            Edit(
                "runtime/coord/controller/driver_process.py",
                "        self._end_group()\n",
                "",
            ),
        ),
        ("tests/coord/controller/test_driver_process.py",),
    ),
    Mutant(
        "a long text whose reading was cancelled is looked through for secrets",
        (
            Edit(
                "runtime/sql/parser/parse.py",
                "    except QueryCanceled:\n        raise",
                "    except ZeroDivisionError:\n        raise",
            ),
        ),
        ("tests/sql/syntax/test_secret_text.py",),
    ),
    Mutant(
        "a power that ends in a 5 behind the kept digits is rounded as the exact one",
        (
            Edit(
                "runtime/expr/functions/numbers/numeric_powers.py",
                "    result = _WIDE.exp(_WIDE.multiply(logarithm, exponent).quantize(last, context=_WIDE))",
                "    result = _WIDE.exp(product)",
            ),
        ),
        ("tests/expr/functions/test_numeric_powers.py",),
    ),
    Mutant(
        "what a snapshot has seen comes of the log, too, where a table is added",
        (
            Edit(
                "runtime/storage/source/upstream/connector.py",
                "taken = log.whole(at, None if snapshot is None else snapshot.place)",
                "taken = log.whole(at, None if snapshot is None or not ready else snapshot.place)",
            ),
            Edit(
                "runtime/storage/source/postgres/replication.py",
                "_COMMIT_LSN.unpack_from(message, HEADER + 1)[0] >= until",
                "_COMMIT_LSN.unpack_from(message, HEADER + 1)[0] >= until + (1 << 40)",
            ),
        ),
        ("tests/storage/source/postgres/test_connector.py::test_tables_are_added_while_others_are_read",),
    ),
    Mutant(
        "what a snapshot of a MYSQL source has seen comes of the log, too, where a table is added",
        (
            Edit(
                "runtime/storage/source/mysql/mariadb_log.py",
                "if until is not None and end.begin > until:",
                "if until is not None and end.begin.file > until.file:",
            ),
        ),
        ("tests/storage/source/mysql/test_connector.py::test_tables_are_added_while_others_are_read",),
    ),
    Mutant(
        "a table that is added from a MySQL joins the others before what its snapshot has seen was read",
        (
            Edit(
                "runtime/storage/source/mysql/mysql_log.py",
                "        is_there = until is not None and read.covers(until)\n        for end",
                "        is_there = until is not None\n        for end",
            ),
        ),
        ("tests/storage/source/mysql/test_connector.py::test_tables_are_added_while_others_are_read",),
    ),
    Mutant(
        "a part of a transaction is committed where the rest has not come yet",
        (
            Edit(
                "runtime/storage/source/upstream/connector.py",
                "        if not taken.ends and at.piece:\n            return Pending.PENDING",
                "        if not taken.ends and at.piece < 0:\n            return Pending.PENDING",
            ),
        ),
        (
            "tests/storage/source/postgres/test_connector.py::test_a_transaction_larger_than_memory_may_be",
            "tests/storage/source/mysql/test_connector.py::test_a_transaction_larger_than_memory_may_be",
        ),
    ),
    Mutant(
        "a few rows of a POSTGRES sink are looked for in the whole table",
        (
            Edit(
                "runtime/storage/sink/postgres/sink.py",
                '        db.execute(sql.SQL("ANALYZE {}").format(_STAGE))\n',
                '        if nbytes > 10_000:\n            db.execute(sql.SQL("ANALYZE {}").format(_STAGE))\n',
            ),
        ),
        ("tests/storage/sink/postgres/test_sink.py",),
    ),
    Mutant(
        "the slot of a source that is dropped keeps the log upstream",
        (Edit("runtime/coord/ddl/catalog_changes.py", "        self._slots.drop(left)\n", ""),),
        (
            "tests/e2e/inprocess/postgres/test_postgres_sources.py::test_a_source_that_is_dropped_leaves_no_slot",
        ),
    ),
    Mutant(
        "an object that changes while it is read is read half old, half new",
        (
            Edit(
                "runtime/storage/source/s3/bucket.py",
                '        if found.version.startswith(\'"\'):\n            asked["if_match"] = found.version\n',
                "",
            ),
            Edit(
                "runtime/storage/source/s3/bucket.py",
                "            if _found(result.meta) != found:",
                "            if _found(result.meta).key != found.key:",
            ),
        ),
        ("tests/storage/source/s3/test_connector.py::test_an_object_that_changes_is_noticed_by_its_bytes",),
    ),
    Mutant(
        "objects of a commit that was given up count as read",
        (
            Edit(
                "runtime/storage/source/s3/connector.py",
                "            if position == self._next:\n                self._ledger.add(self._taken)\n",
                "            self._ledger.add(self._taken)\n            if position == self._next:\n                pass\n",
            ),
        ),
        (
            "tests/storage/source/s3/test_connector.py::test_every_record_once_through_aborts_kills_and_faults",
        ),
    ),
    Mutant(
        "of two exports at once both take the place",
        (
            Edit(
                "runtime/storage/export/bucket.py",
                'obstore.put(self._store, key, self._token, mode="create")',
                "obstore.put(self._store, key, self._token)",
            ),
        ),
        ("tests/storage/export/test_places.py::test_a_place_is_one_export_s",),
    ),
    Mutant(
        "an export whose tasks still write is taken away",
        (
            Edit(
                "runtime/storage/export/fence.py",
                "            fcntl.flock(descriptor, fcntl.LOCK_EX)\n",
                "            pass\n",
            ),
        ),
        ("tests/storage/export/test_fence.py::test_closing_waits_for_who_is_inside",),
    ),
    Mutant(
        "a broker that answers within a second does not answer in time",
        (
            Edit(
                "runtime/storage/connections/kafka.py",
                "error.args[0].code() not in _unanswered(kafka)",
                "error.args[0].code() != kafka.KafkaError._TRANSPORT",
            ),
            Edit("runtime/storage/connections/kafka.py", "min(2 * patience, _MOST_S)", "_FIRST_S"),
        ),
        ("tests/storage/connections/test_kafka.py",),
    ),
    Mutant(
        "a key whose new value does not pass WHERE keeps its old row",
        (
            Edit(
                "runtime/storage/row_filter.py",
                "    if by_key:\n        return KeptRecords(replace(decoded, present=decoded.present & keep), left_out)\n",
                "",
            ),
        ),
        ("tests/storage/test_row_filter.py",),
    ),
    Mutant(
        "the key of a source is looked for among the columns that are read",
        (
            Edit(
                "runtime/storage/projection.py",
                "            columns = np.where(errors.columns < 0, errors.columns, places[errors.columns])\n            errors = replace(errors, columns=columns)\n",
                "",
            ),
        ),
        ("tests/storage/test_row_filter.py",),
    ),
    Mutant(
        "a row on which WHERE fails is left out without a word",
        (
            Edit(
                "runtime/storage/row_filter.py",
                "    if failed is not None:\n        messages",
                "    if failed is not None and len(oks) < 0:\n        messages",
            ),
        ),
        ("tests/storage/test_row_filter.py",),
    ),
    Mutant(
        "rows that only come are thought never to go, though the source retains them for a while",
        (
            Edit(
                "runtime/coord/catalog/append_only.py",
                "        case Source(retention=RowRetention()) | SourceTable(retention=RowRetention()):\n            return False\n",
                "",
            ),
        ),
        ("tests/e2e/inprocess/filters/test_row_retention.py",),
    ),
    Mutant(
        "a source is to leave out rows of which a reader tells an error",
        (
            Edit(
                "runtime/coord/query/sources/readers.py",
                "        elif not can_fail(conjunct) and not (failing and conjunct.nullable):\n",
                "        elif not can_fail(conjunct):\n",
            ),
        ),
        ("tests/coord/query/sources/test_offers.py",),
    ),
    Mutant(
        "a column goes that a view names at which nobody looks",
        (
            Edit(
                "runtime/coord/query/sources/offers.py",
                "    return f\"it is named by {', '.join(other.full_name for other in naming)}\" if naming else None\n",
                "    return None\n",
            ),
        ),
        ("tests/coord/query/sources/test_offers.py",),
    ),
    Mutant(
        "a source that keeps less goes on by its former definition",
        (
            Edit(
                "runtime/coord/ddl/catalog_changes.py",
                "(*reconnected(self._catalog, changes), *_refiltered(self._catalog, changes))",
                "reconnected(self._catalog, changes)",
            ),
        ),
        ("tests/e2e/inprocess/filters/test_add_where.py",),
    ),
    Mutant(
        "a commit of an ICEBERG sink that conflicts is tried again by the library, whoever the table belongs to by then",
        (
            Edit(
                "runtime/storage/lake/catalogs.py",
                "            raise Conflicted(str(error)) from None",
                "            raise",
            ),
        ),
        ("tests/storage/sink/iceberg/test_faults.py::test_who_is_replaced_while_it_commits",),
    ),
    Mutant(
        "a row that a sink's target does not take stalls the sink for good, though it is deleted again",
        (
            Edit(
                "runtime/replica/egress.py",
                "            if refused and sink.writes_net:\n",
                "            if refused and not sink.writes_net:\n",
            ),
        ),
        ("tests/replica/test_refused_intervals.py",),
    ),
    Mutant(
        "the years of dates in tables of Iceberg are those of Python",
        (
            Edit(
                "runtime/storage/sink/iceberg/files.py",
                "        odd = [name for name in rows.column_names if beyond_python(rows[name])]\n",
                "        odd: list[str] = []\n",
            ),
        ),
        ("tests/storage/sink/iceberg/test_sink.py",),
    ),
    Mutant(
        "a copy of a runtime takes the tables of its sinks into lakes",
        (
            Edit(
                "runtime/storage/sink/lake/sink.py",
                "found.term >= self._term",
                "found.term > self._term",
            ),
        ),
        ("tests/storage/sink/delta/test_sink.py", "tests/storage/sink/iceberg/test_sink.py"),
    ),
    Mutant(
        "rows of keys that an UPSERT sink into a lake changes are kept where others have made new files of them",
        (
            Edit(
                "runtime/storage/sink/lake/rewrite.py",
                "            touched.append(Touched(file, ~hits))",
                "            touched.append(Touched(file, ~hits if len(touched) < 1 else None))",
            ),
        ),
        ("tests/storage/sink/iceberg/test_sink.py", "tests/storage/sink/delta/test_sink.py"),
    ),
    Mutant(
        "values of a column that somebody has dropped from the table of a sink into a lake are left out in silence",
        (
            Edit(
                "runtime/storage/sink/lake/sink.py",
                "        if lost:\n",
                "        if lost and self._exchange is not None:\n",
            ),
        ),
        ("tests/storage/sink/lake/test_exchange.py::test_a_column_that_somebody_has_dropped",),
    ),
    Mutant(
        "what comes in plain behind a request for TLS is taken for what came inside",
        (
            Edit(
                "runtime/pgwire/startup.py",
                "            if wire.has_input():\n",
                "            if wire.has_input() and code != SSL_CODE:\n",
            ),
            Edit(
                "runtime/pgwire/wire.py",
                "        received, self._in = bytes(self._in), bytearray()\n",
                '        received = b""\n',
            ),
        ),
        ("tests/pgwire/test_tls.py::test_what_comes_in_plain_before_tls_is_not_taken_for_what_came_inside",),
    ),
    Mutant(
        "ALTER IGNORE removes rows upstream unnoticed",
        (
            Edit(
                "runtime/storage/source/mysql/ddl.py",
                "    if ignores:  # rows that",
                "    if False:  # rows that",
            ),
        ),
        ("tests/storage/source/mysql/test_ddl.py",),
    ),
    Mutant(
        "a certificate lets in any role",
        (
            Edit(
                "runtime/pgwire/startup.py",
                "            and shown.role_of(client.common_name) == user\n",
                "",
            ),
        ),
        ("tests/pgwire/test_tls.py::test_a_certificate_stands_for_a_password",),
    ),
    Mutant(
        "events of definitions are in memory only",
        (
            Edit(
                "runtime/coord/audit/log.py",
                "        return AuditChange(tuple(added[-self._most :]), self._beyond(self._definitions, len(added)))\n",
                "        change = AuditChange(tuple(added[-self._most :]), self._beyond(self._definitions, len(added)))\n"
                "        self.recorded(change)\n        return None\n",
            ),
        ),
        (
            "tests/e2e/inprocess/sessions/test_audit_log.py::test_it_outlasts_restarts_and_definitions_a_crash",
        ),
    ),
    Mutant(
        "wrong logins of others at an address keep a right password waiting",
        (
            Edit(
                "runtime/network/attempts.py",
                "        found = self._remembered(_keys(network, user)[0])\n",
                "        found = self._remembered((network, None))\n",
            ),
        ),
        (
            "tests/pgwire/test_limits.py::test_wrong_logins_of_others_at_the_address_delay_refusals_only",
            "tests/network/test_attempts.py::test_others_at_an_address_are_not_kept_from_a_right_password",
        ),
    ),
    Mutant(
        "a connection that is alone at its address is ended for a crowd",
        (
            Edit(
                "runtime/network/places.py",
                "            gone = self._oldest_of_a_crowd(network)\n",
                "            gone = next(iter(self._all))\n",
            ),
        ),
        ("tests/network/test_places.py::test_two_crowds_do_not_end_one_that_is_alone",),
    ),
    Mutant(
        "handshakes of HTTPS are not counted",
        (
            Edit(
                "runtime/http/handshake.py",
                "        if self._handshakes.places.take(network):\n",
                "        self._handshakes.places.take(network, beyond=True)\n        if True:\n",
            ),
        ),
        ("tests/e2e/inprocess/webhooks/test_https.py::test_handshakes_are_counted",),
    ),
    Mutant(
        "snapshots of one commit of Iceberg are seen apart",
        (
            Edit(
                "runtime/storage/source/iceberg/table.py",
                "            and snapshot.timestamp_ms in ends\n",
                "",
            ),
        ),
        ("tests/storage/source/iceberg/test_connector.py::test_each_snapshot_is_seen_whole",),
    ),
    Mutant(
        "compaction of a table of Delta Lake changes rows",
        (
            Edit(
                "runtime/storage/source/delta/table.py",
                'return bool(action.get("dataChange", True))',
                "return True",
            ),
        ),
        (
            "tests/storage/source/delta/test_connector.py::test_files_that_a_compaction_has_replaced_are_not_read_again",
        ),
    ),
    Mutant(
        "who alters a table upstream and the snapshot of it wait for each other",
        (
            Edit(
                "runtime/storage/source/postgres/snapshot.py",
                "if self._upstream.wait_for_each_other(self._slot_db.info.backend_pid, ours):",
                "if not ours:",
            ),
        ),
        (
            "tests/storage/source/postgres/test_connector.py::test_who_alters_a_table_and_the_snapshot_do_not_wait_for_each_other",
        ),
    ),
    Mutant(
        "an earlier copy of the server's files is read on",
        (Edit("runtime/storage/source/postgres/upstream.py", "if found.reached >= at.lsn:", "if True:"),),
        (
            "tests/storage/source/postgres/test_own_server.py::test_an_earlier_copy_of_the_files_is_not_gone_on_with",
        ),
    ),
    Mutant(
        "errors of a lake's rows stay behind when compaction has put them into other files",
        (Edit("runtime/storage/source/delta/table.py", "if in_error and not all(", "if False and not all("),),
        (
            "tests/storage/source/delta/test_connector.py::test_errors_name_the_files_in_which_their_rows_lie_now",
        ),
    ),
    Mutant(
        "rows of a file that are gone do not count in the numbers of those behind them",
        (
            Edit(
                "runtime/storage/source/iceberg/table.py",
                'numbers = places + np.searchsorted(before, places, "right") + 1',
                "numbers = places + 1",
            ),
        ),
        (
            "tests/storage/source/iceberg/test_connector.py::test_rows_in_error_are_counted_with_those_that_are_gone",
        ),
    ),
    Mutant(
        "rows of the catalog about an item stay as they were before it was altered",
        (
            Edit(
                "runtime/coord/introspection/item_rows.py",
                "(at := places.get(item.id)) is None or at.item is not item",
                "item.id not in places",
            ),
        ),
        ("tests/coord/introspection/test_item_rows.py",),
    ),
    Mutant(
        "an error of a row upstream does not say of which",
        (
            Edit(
                "runtime/storage/source/upstream/rows.py",
                "    if table is not None and table.names_rows:\n",
                "    if False:\n",
            ),
        ),
        ("tests/storage/source/postgres/test_rows.py::test_an_error_names_the_table_and_the_row",),
    ),
    Mutant(
        "tables that a source makes itself stay behind",
        (
            Edit(
                "dbt/adapters/ptvc/staging/adapter.py",
                "for one in with_own_tables(staged, made):",
                "for one in (staged,):",
            ),
        ),
        ("tests/adapter/sources/test_own_tables.py::TestOwnTables",),
    ),
    Mutant(
        "what could not be checked does not change",
        (
            Edit(
                "runtime/check/changes.py",
                "if id_ in blind or (id_ in old and id_ not in known and self._checked(id_) is None)",
                "if id_ in blind",
            ),
        ),
        ("tests/check/test_changes.py::test_what_could_not_be_checked_is_not_called_unchanged",),
    ),
    Mutant(
        "a source whose rows are in error is as it should be",
        (
            Edit(
                "dbt/adapters/ptvc/waiting.py",
                "        for written in self._written_by(relation):\n            self._assert_no_error(relation, written)\n",
                "",
            ),
        ),
        ("tests/adapter/sources/test_errors_of_rows.py::TestARowInError",),
    ),
    Mutant(
        "blobs that a backup copies are collected as garbage",
        (Edit("runtime/persist/gc.py", "if not pinned\n                and not _needed", "if not _needed"),),
        ("tests/backup/test_take.py::test_what_is_replaced_meanwhile_stays_until_it_is_copied",),
    ),
    Mutant(
        "a checkpoint of what was dropped while it was published counts",
        (
            Edit(
                "runtime/coord/controller/checkpoints.py",
                "        if self._place(id, replica) != place:\n",
                "        if False:\n",
            ),
        ),
        ("tests/coord/controller/test_checkpoints.py",),
    ),
    Mutant(
        "a backup relies on copies that a removal is about to remove",
        (Edit("runtime/backup/take.py", "copies(place.blobs, but=doomed)", "copies(place.blobs)"),),
        ("tests/backup/test_prune_races.py::test_a_removal_is_killed",),
    ),
    Mutant(
        "a removal that has stood still removes what was copied since",
        (Edit("runtime/backup/take.py", "copy_key(blob, token), data", 'copy_key(blob, "same"), data'),),
        ("tests/backup/test_prune_races.py::test_a_removal_is_killed",),
    ),
    Mutant(
        "a backup that was given up becomes whole when it goes on",
        (
            Edit(
                "runtime/backup/prune.py",
                "if create(place.files, folder.key(MANIFEST_FILE), VOID) == VOID:",
                "if not folder.manifest:",
            ),
        ),
        ("tests/backup/test_prune_races.py::test_a_removal_while_a_backup_stands_still",),
    ),
    Mutant(
        "a removal goes on that another one has given up",
        (
            Edit(
                "runtime/backup/prune.py",
                "if create(place.files, plan.key(DECISION_FILE), CARRIED_OUT) != CARRIED_OUT:",
                "if False:",
            ),
        ),
        ("tests/backup/test_prune_races.py::test_a_backup_while_a_removal_that_was_given_up_stands_still",),
    ),
    Mutant(
        "a sink goes on in a target that is ahead of what was restored",
        (Edit("runtime/storage/sink/contract.py", "if acknowledged <= restored < written:", "if False:"),),
        (
            "tests/e2e/inprocess/faults/test_backup.py::test_sinks_go_on_unless_their_target_is_ahead",
            "tests/replica/test_sources_and_sinks.py::test_a_target_ahead_of_a_backup_is_left_alone",
        ),
    ),
    Mutant(
        "a request that was stored is told 400 when garbage comes behind it",
        (
            Edit(
                "runtime/http/protocol.py",
                "        self._last_words = response\n        self.flow.pause_reading()",
                "        self._say(response)",
            ),
        ),
        (
            "tests/e2e/inprocess/webhooks/test_hostile_requests.py::test_garbage_behind_requests_that_are_stored",
        ),
    ),
    Mutant(
        "who reads an index when one of its workers dies is told so, and not asked to wait",
        (
            Edit(
                "runtime/replica/main.py",
                "        except (ConnectionError, WorkerLost):\n",
                "        except ConnectionError:\n",
            ),
        ),
        ("tests/coord/controller/test_divided_indexes.py::test_look_ups_go_on_when_a_worker_is_killed",),
    ),
    Mutant(
        "files of a worker's index go while a query reads them",
        (
            Edit(
                "runtime/compute/partitioned/index_reads.py",
                "        self._files.update(files)\n",
                "        self._files.update((number, None) for number, _ in files)\n",
            ),
        ),
        (
            "tests/compute/partitioned/test_index.py::test_what_is_on_file_stays_there_until_it_is_released",
            "tests/replica/workers/test_divided_index.py::test_mapped_files_of_members_are_there_while_they_are_read",
        ),
    ),
    Mutant(
        "DISTINCT values are counted in place where rows of one are with several workers",
        (
            Edit(
                "runtime/compute/partitioned/placement.py",
                "any(columns and set(columns) <= {*keys, argument} for columns in inputs[0])",
                "any(columns for columns in inputs[0])",
            ),
        ),
        ("tests/compute/partitioned/test_distinct_in_place.py",),
    ),
    Mutant(
        "DISTINCT values that were counted in place are taken for their groups' when others go on",
        (
            Edit(
                "runtime/compute/partitioned/state_placement.py",
                'if kind == "distinct":',
                'if kind == "values":',
            ),
        ),
        ("tests/compute/partitioned/test_distinct_in_place.py::test_others_go_on_from_what_was_saved",),
    ),
    Mutant(
        "a split join is put before a reduction that counts in place",
        (
            Edit(
                "runtime/compute/partitioned/placement.py",
                "alike = found.in_place == other.in_place and _moves_alike(found.plan, other.plan, node.id)",
                "alike = _moves_alike(found.plan, other.plan, node.id)",
            ),
        ),
        (
            "tests/compute/partitioned/test_distinct_in_place.py::test_those_whose_values_lie_together_before_they_move",
        ),
    ),
    Mutant(
        "an input is broadcast of which a union has some rows",
        (
            Edit(
                "runtime/compute/partitioned/broadcast.py",
                "elif whole and not _takes(node, whole):",
                "elif whole and not _takes(node, whole) and node.inputs == tuple(whole):",
            ),
        ),
        ("tests/compute/partitioned/test_broadcast.py::test_views_match_recomputation_whoever_dies",),
    ),
    Mutant(
        "rows beside what is broadcast lie where they were read, and their retractions elsewhere",
        (
            Edit(
                "runtime/compute/partitioned/placement.py",
                "            found |= kept_beside(plan, broadcast, node)\n",
                "            found |= frozenset()\n",
            ),
        ),
        ("tests/compute/partitioned/test_broadcast.py::test_others_go_on_from_what_was_saved",),
    ),
    Mutant(
        "rows of an outer join that are with all workers come out of each without a match",
        (
            Edit(
                "runtime/compute/partitioned/broadcast.py",
                "return all(side in DEALT[kind] for side in parts)",
                "return kind is not None",
            ),
        ),
        ("tests/compute/partitioned/test_broadcast.py::test_views_match_recomputation_whoever_dies",),
    ),
    Mutant(
        "changes of what is broadcast reach the leader alone",
        (
            Edit(
                "runtime/compute/partitioned/dealing.py",
                "        by = part.dealt[at]\n",
                "        by = part.dealt[at] if isinstance(part.dealt[at], tuple) else None\n",
            ),
        ),
        (
            "tests/compute/partitioned/test_broadcast.py::test_views_match_recomputation_whoever_dies",
            "tests/coord/controller/test_broadcast_inputs.py",
        ),
    ),
    Mutant(
        "what was broadcast stays in files of other parts, which go",
        (
            Edit(
                "runtime/compute/partitioned/part_state.py",
                "            share = _own(run)\n",
                "            share = run\n",
            ),
        ),
        (
            "tests/compute/partitioned/test_broadcast.py::test_the_first_part_alone_removes_what_it_saves_for_all",
        ),
    ),
    Mutant(
        "who has copied what the first part saves for all removes its files",
        (
            Edit(
                "runtime/compute/partitioned/part_state.py",
                "store.load(beginning.shared, whole=False, own=False)",
                "store.load(beginning.shared, whole=False)",
            ),
        ),
        (
            "tests/compute/partitioned/test_broadcast.py::test_the_first_part_alone_removes_what_it_saves_for_all",
        ),
    ),
    Mutant(
        "one process that goes on from several has what was broadcast several times",
        (
            Edit(
                "runtime/compute/partitioned/part_state.py",
                "if id_ not in self._part.everywhere}",
                "if id_}",
            ),
        ),
        ("tests/compute/partitioned/test_broadcast.py::test_state_that_is_everywhere_is_saved_once",),
    ),
    Mutant(
        "who waits for replicas that another statement has replaced is told that they are ready",
        (
            Edit(
                "runtime/coord/ddl/clusters.py",
                "if self._shape(now) != self._shape(altered.after):",
                "if not now.name:",
            ),
        ),
        (
            "tests/coord/controller/rescaling/test_hand_overs.py::test_who_waits_for_what_will_never_be_is_told",
        ),
    ),
    Mutant(
        "COPY in binary takes the infinite past for a day of the Stone Age",
        (
            Edit(
                "runtime/pgwire/copy_binary.py",
                "native = np.where(endless, native, moved)",
                "native = moved",
            ),
        ),
        ("tests/pgwire/test_infinity_on_the_wire.py",),
    ),
    Mutant(
        "what others have saved of an index is all the leader's",
        (
            Edit(
                "runtime/compute/partitioned/state_placement.py",
                "return division.index_key if name == INDEX_RUNS and division.index_key is not None else FIRST",
                "return FIRST",
            ),
        ),
        ("tests/compute/partitioned/test_index.py::test_others_go_on_with_what_was_saved",),
    ),
    Mutant(
        "an answer to an earlier look-up is taken for that to the next",
        (
            Edit(
                "runtime/replica/workers/index_look_ups.py",
                "                self._answer(member, monotonic())  # to what nobody waits for any more\n",
                "                self._asked.discard(member)\n",
            ),
        ),
        (
            "tests/replica/workers/test_divided_index.py::test_a_member_that_stands_still_is_not_waited_for_for_ever",
        ),
    ),
    Mutant(
        "members of a replica hand back what they free, as queries do",
        (
            Edit(
                "runtime/replica/queries/fork_server.py",
                "    gc.collect()\n    gc.freeze()",
                "    return_what_is_freed()\n    gc.collect()\n    gc.freeze()",
            ),
        ),
        ("tests/replica/workers/test_team.py::test_members_keep_their_memory_between_steps",),
    ),
    Mutant(
        "what a divided view has in mapped files is what the leader has",
        (
            Edit(
                "runtime/replica/installed.py",
                "(totals.with_state(self.held()), *members)",
                "(totals.with_state(self.held()),)",
            ),
        ),
        ("tests/coord/controller/test_workers.py::test_relations_say_what_each_worker_has_done",),
    ),
    Mutant(
        "what a replica says of an object that was dropped meanwhile is shown for good",
        (
            Edit(
                "runtime/coord/controller/replica_connection.py",
                "                if id_ in replica.installed:  # it may have been dropped meanwhile\n    ",
                "",
            ),
        ),
        (
            "tests/coord/controller/test_replica_connection.py::test_statistics_of_what_was_dropped_meanwhile_are_not_kept",
        ),
    ),
    Mutant(
        "a loop depends on what nobody reads in it, and has no inputs",
        (
            Edit(
                "runtime/expr/tree/relation_tree.py",
                "        if read.isdisjoint(own):\n            return read\n",
                "",
            ),
        ),
        ("tests/compute/test_lower.py::test_what_a_loop_has_that_nobody_reads_is_not_there",),
    ),
    Mutant(
        "ends of a narrowed source are all that is sent, though another task takes them back",
        (
            Edit(
                "runtime/compute/spark/superstep.py",
                "return joins or any(can_be_cut(node.op, kept=job.keeps_state) for node in readers)",
                "return joins",
            ),
        ),
        (
            "tests/compute/spark/test_level_task.py::test_what_a_narrowed_source_has_taken_back_may_be_in_another_task",
        ),
    ),
    Mutant(
        "a retraction among a task's rows does not keep others from sending ends only",
        (
            Edit(
                "runtime/compute/operators/reductions/combine.py",
                "            return bool(op.monotonic)\n        case _:",
                "            return False\n        case _:",
            ),
            Edit(
                "runtime/compute/operators/reductions/combine.py",
                "case ReduceOp() if op.monotonic and not cut:",
                "case ReduceOp() if op.monotonic and cut:",
            ),
        ),
        (
            "tests/compute/spark/test_level_task.py::test_what_a_narrowed_source_has_taken_back_may_be_in_another_task",
        ),
    ),
    Mutant(
        "texts of views name what they read as it was called when they were made",
        (
            Edit(
                "runtime/coord/ddl/definitions.py",
                "        return with_texts(self.catalog, changes)",
                "        return changes",
            ),
        ),
        ("tests/e2e/inprocess/definitions/test_renames.py::test_texts_of_views_follow_what_they_read",),
    ),
    Mutant(
        "texts of views over two relations that exchange their names are written anew twice",
        (
            Edit(
                "runtime/coord/ddl/view_texts.py",
                "in {item.id: item for id_ in moved for item in catalog.dependents(id_)}.values():",
                "in [item for id_ in moved for item in catalog.dependents(id_)]:",
            ),
        ),
        (
            "tests/e2e/inprocess/definitions/test_renames.py::test_texts_of_views_over_both_relations_that_exchange_names",
        ),
    ),
    Mutant(
        "the text of what has read a replacement names that for good",
        (
            Edit(
                "runtime/coord/ddl/apply_replacement.py",
                "        item = reading_instead(item, old, new)\n",
                "        pass\n",
            ),
        ),
        ("tests/e2e/inprocess/definitions/test_renames.py::test_texts_of_views_follow_what_they_read",),
    ),
    Mutant(
        "a worker on another machine that says that it is there says so in the middle of a message",
        (
            Edit(
                "runtime/replica/workers/tls_wire.py",
                "if self._sent() and not unless():",
                "if self._sent():",
            ),
        ),
        ("tests/replica/workers/test_wires.py::test_nothing_comes_in_the_middle_of_a_message",),
    ),
    Mutant(
        "a worker of an attempt that was given up comes in at a door of the next one",
        (
            Edit(
                "runtime/replica/workers/doors.py",
                "return own.secret if awaited and same else None",
                "return own.secret if awaited else None",
            ),
        ),
        ("tests/replica/workers/test_doors.py::test_who_is_refused",),
    ),
    Mutant(
        "a replica that has lost one of its machines waits until Spark has missed it",
        (
            Edit(
                "runtime/coord/controller/controller.py",
                "if (incoming.fell_silent or spread) and self._settings.on_cluster:",
                "if incoming.fell_silent and self._settings.on_cluster:",
            ),
        ),
        (
            "tests/coord/controller/test_workers_on_machines.py::test_one_that_loses_a_member_is_started_anew_as_a_whole",
        ),
    ),
    Mutant(
        "what members on other machines have written for a dropped dataflow stays there",
        (
            Edit(
                "runtime/replica/workers/saves.py",
                "self.apart = far and files.copied",
                "self.apart = False",
            ),
        ),
        (
            "tests/replica/workers/test_spread.py::test_files_of_a_dataflow_that_was_dropped_go_from_other_machines",
        ),
    ),
    Mutant(
        "who still looks at the parts of before has rows twice that were put together since",
        (
            Edit(
                "runtime/replica/look_ups/stored_rows.py",
                "elif stored.group is None or not own.issuperset(stored.group.parts):",
                "elif stored.group is None:",
            ),
        ),
        ("tests/replica/look_ups/test_stored_rows.py::test_small_parts_that_are_put_together",),
    ),
    Mutant(
        "a replica whose coordinator goes away before an answer fails, and its task with it",
        (
            Edit(
                "runtime/replica/main.py",
                "            with suppress(ConnectionError):  # whoever was to hear an answer is gone\n",
                "            with suppress(KeyError):\n",
            ),
        ),
        ("tests/replica/test_main.py::test_an_answer_that_nobody_hears_any_more_is_no_failure",),
    ),
    Mutant(
        "two replicas of a cluster have one name where there is state of that name only",
        (
            Edit(
                "runtime/coord/controller/clusters.py",
                "        free = (name for name in chain(names, other_names) if name not in taken)\n",
                "        free = (name for name in chain(names, numbered) if name not in taken)\n",
            ),
        ),
        ("tests/coord/controller/test_clusters.py",),
    ),
    Mutant(
        "a share that a worker is to read is lost as it comes with the cancellation of the one before",
        (
            Edit(
                "runtime/replica/workers/message_stream.py",
                "        came, self._came = self._came, self._came[end:]\n",
                "        came, self._came = self._came, bytearray()\n",
            ),
        ),
        (
            "tests/replica/workers/test_source_shares.py::test_a_share_that_comes_with_the_cancellation_of_the_one_before_is_read",
        ),
    ),
    Mutant(
        "a sink that a replica is given as it ends runs on, with its target locked",
        (
            Edit(
                "runtime/replica/main.py",
                "                if self._ended:\n",
                "                if self._ended and isinstance(message, Progress):\n",
            ),
        ),
        ("tests/replica/test_main.py::test_what_is_installed_as_the_replica_ends_does_not_run_on",),
    ),
    Mutant(
        "of hashes whose bits are neighbours only the first is known to be there",
        (
            Edit(
                "runtime/repr/hash_bitmap.py",
                "np.bitwise_or.reduceat(_bit_of(places), starts)",
                "_bit_of(places)[starts]",
            ),
        ),
        ("tests/repr/test_hash_bitmap.py::test_all_that_are_there_and_few_others",),
    ),
    Mutant(
        "the whole row of a function that an outer join found no row of is a record of NULLs",
        (
            Edit(
                "runtime/sql/query/from_clause.py",
                "entry.null_extended() if outer else entry",
                "replace(entry, nullable=True) if outer else entry",
            ),
        ),
        ("tests/slt/test_slt.py::test_script[joins/whole_rows]",),
    ),
    Mutant(
        "a statement is planned anew whenever its parameter has another type than the last time",
        (
            Edit(
                "runtime/coord/session/known_plans.py",
                "self._plans[id(statement), types] = KnownPlan(",
                "self._plans[id(statement), ()] = KnownPlan(",
            ),
        ),
        ("tests/coord/session/test_known_plans.py",),
    ),
    Mutant(
        "numerics of any number of digits are written as those of 18",
        (Edit("runtime/repr/parquet_layout.py", " or not _fits_word(column)", ""),),
        ("tests/repr/test_parquet_layout.py", "tests/persist/test_part_codec.py"),
    ),
    Mutant(
        "a constant is cut to the digits of the column that it is compared with",
        (
            Edit(
                "runtime/expr/functions/comparison/comparison.py",
                "return value.cast(type_.arrow)",
                "return value.cast(options=pc.CastOptions.unsafe(type_.arrow))",
            ),
        ),
        ("tests/slt/test_slt.py::test_script[types/numeric_comparison]",),
    ),
    Mutant(
        "what follows a small answer waits until the client's system has acknowledged that",
        (
            Edit(
                "runtime/network/ports.py",
                "socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)",
                "socket.socket(family, socket.SOCK_STREAM)",
            ),
        ),
        ("tests/network/test_ports.py::test_small_answers_are_sent_at_once",),
    ),
    Mutant(
        "rows for which a key is drawn are returned by their values",
        (
            Edit(
                "runtime/sql/statement/data.py",
                "computed = bool(plan.order) or _draws(defaults, columns)",
                "computed = bool(plan.order)",
            ),
        ),
        ("tests/e2e/inprocess/test_data.py::test_returning_has_the_order_of_what_was_given",),
    ),
    Mutant(
        "of ON CONFLICT DO UPDATE new rows are returned before those that were there",
        (
            Edit(
                "runtime/coord/dml/upserts.py",
                "written.take(np.argsort(np.concatenate((np.flatnonzero(~hit), rows[updated]))))",
                "written",
            ),
        ),
        ("tests/e2e/inprocess/test_data.py::test_returning_has_the_order_of_what_was_given",),
    ),
    Mutant(
        "two columns that are equal or both NULL are looked for among all pairs of rows",
        (
            Edit(
                "runtime/sql/query/join_condition.py",
                "_null_safe_pair(predicate, width) if takes_null else None",
                "None",
            ),
        ),
        ("tests/sql/test_join_conditions.py",),
    ),
    Mutant(
        "join after join multiplies what an update leaves to cancel",
        (
            Edit(
                "runtime/compute/operators/joins/join.py",
                "added_up(oks) if self._cancel else oks",
                "oks",
            ),
        ),
        (
            "tests/compute/operators/test_versions.py::test_joins_of_tables_that_change_together_cost_what_changes",
        ),
    ),
    Mutant(
        "correlated queries side by side double the plan, each",
        (
            Edit(
                "runtime/sql/query/domains.py",
                "if below.drops and _is_small(relation):",
                "if True:",
            ),
        ),
        ("tests/sql/query/test_domains.py::test_a_domain_is_of_what_has_its_columns",),
    ),
    Mutant(
        "what can be planned nests deeper than what can be sent",
        (Edit("runtime/sql/plan.py", "if depth(optimized) > MOST_LEVELS:", "if False:"),),
        ("tests/sql/test_hostile_statements.py::test_refused",),
    ),
)

MUTANTS = (*FINDINGS, *OTHERS)
